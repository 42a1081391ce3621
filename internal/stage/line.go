package stage

import (
	"context"
	"fmt"

	"github.com/cnibench/cnibench/internal/result"
)

// LineLimit is what the link between two nodes can carry, where that is known.
type LineLimit struct {
	Rate float64 // in each direction, in bit/s of layer 1; 0 where unknown
	MTU  int     // bytes
	Why  string  // why it is unknown, or where it comes from
}

const (
	// ethernetOverhead is what a frame costs on the wire beyond its IP packet:
	// preamble 8, header 14, checksum 4, gap 12 (IEEE 802.3).
	ethernetOverhead = 38
	// HeadersTCP are those of IPv4 and of TCP without options, in bytes.
	HeadersTCP = 20 + 20
	// HeadersUDP are those of IPv4 and of UDP, in bytes.
	HeadersUDP = 20 + 8
	// lineTolerance covers what the window's slack makes of a rate.
	lineTolerance = 0.01
	// lineFull is the share of what a line carries from which on it counts as
	// full (docs/methodology.md section 3, ceiling).
	lineFull = 0.97
)

// Goodput is the most payload, in bit/s, that the line takes in one direction,
// in packets as large as it carries, with no encapsulation.
func (l LineLimit) Goodput(headers int) float64 {
	return l.Rate * float64(l.MTU-headers) / float64(l.MTU+ethernetOverhead)
}

// Check is an [*InvalidError] when more arrived in a direction, in bit/s, than
// the line takes: then the ends were not where they seemed to be.
func (l LineLimit) Check(headers int, directions ...float64) error {
	if l.Rate == 0 {
		return nil
	}
	for _, got := range directions {
		if most := l.Goodput(headers); got > most*(1+lineTolerance) {
			return &InvalidError{fmt.Sprintf("above line rate: %.3f Gbit/s arrived, and a line of %g Gbit/s with an MTU of %d carries %.3f",
				got/1e9, l.Rate/1e9, l.MTU, most/1e9)}
		}
	}
	return nil
}

// Marks says of a trial that filled the line in a direction that it did. Packets
// of pathMTU bytes (0: as large as the line carries) are taken to fill frames
// of the line's: what they lack is the plugin's encapsulation, which is proven
// before anything is measured.
func (l LineLimit) Marks(headers, pathMTU int, directions ...float64) []result.Mark {
	if l.Rate == 0 {
		return nil
	}
	if pathMTU <= 0 || pathMTU > l.MTU {
		pathMTU = l.MTU
	}
	most := l.Rate * float64(pathMTU-headers) / float64(l.MTU+ethernetOverhead)
	for _, got := range directions {
		if got >= lineFull*most {
			return []result.Mark{{Name: result.LineLimited, Detail: fmt.Sprintf("%.3f Gbit/s arrived of the %.3f that a line of %g Gbit/s carries in packets of %d bytes",
				got/1e9, most/1e9, l.Rate/1e9, pathMTU)}}
		}
	}
	return nil
}

func (l LineLimit) String() string {
	if l.Rate == 0 {
		return "unknown: " + l.Why
	}
	return fmt.Sprintf("%g Gbit/s, MTU %d, %s", l.Rate/1e9, l.MTU, l.Why)
}

// LineLimit finds the slower of the two nodes' interfaces, once.
func (s *Stage) LineLimit(ctx context.Context, pair Pair) (LineLimit, error) {
	switch {
	case pair.Outside():
		return LineLimit{Why: "the way from outside the cluster is not known"}, nil
	case pair.Client.Node == pair.Server.Node:
		return LineLimit{Why: "both ends are on one node"}, nil
	case s.cluster.SharedKernel():
		return LineLimit{Why: "the nodes share a kernel, with no line between them"}, nil
	}
	key := [2]string{pair.Client.Node, pair.Server.Node}
	if l, ok := s.lines[key]; ok {
		return l, nil
	}
	limit := LineLimit{}
	for _, node := range key {
		l, err := s.nodeLine(ctx, node)
		if err != nil {
			return LineLimit{}, err
		}
		if l.Rate == 0 {
			limit = l
			break
		}
		if limit.Rate == 0 || l.Rate < limit.Rate {
			limit = l
		}
	}
	s.lines[key] = limit
	return limit, nil
}

// nodeLine looks at the interface that has the node's address. Virtual devices
// name rates that mean nothing (veth: 10 Gbit/s), so only those with hardware
// behind them are believed.
func (s *Stage) nodeLine(ctx context.Context, node string) (LineLimit, error) {
	nodes, err := s.cluster.Nodes(ctx)
	if err != nil {
		return LineLimit{}, err
	}
	netns, err := DescribeNode(ctx, s.cluster, node)
	if err != nil {
		return LineLimit{}, err
	}
	for _, n := range nodes {
		if n.Name != node {
			continue
		}
		i, ok := netns.interfaceOf(n.Address)
		switch {
		case !ok:
			return LineLimit{Why: fmt.Sprintf("no interface of %s has its address %s", node, n.Address)}, nil
		case i.SpeedMbit == 0:
			return LineLimit{Why: fmt.Sprintf("interface %s of %s does not say", i.Name, node)}, nil
		}
		return LineLimit{float64(i.SpeedMbit) * 1e6, i.MTU, fmt.Sprintf("interface %s of %s", i.Name, node)}, nil
	}
	return LineLimit{Why: "the cluster has no node " + node}, nil
}
