package stage

import (
	"context"
	"strconv"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// smallestMTU is what every IPv4 host takes (RFC 791), in bytes.
const smallestMTU = 576

// largestPacket is the most that an IPv4 header can say, in bytes.
const largestPacket = 65535

// PathMTU searches the largest IP packet that reaches the echo of a pair's
// server and comes back unfragmented. Most bounds the search, in bytes.
func PathMTU(ctx context.Context, c *cluster.Cluster, pair Pair, most int) (probe.PathMTU, error) {
	return seekMTU(ctx, PodEnd(c, pair.Client), Address{Host: pair.Server.IP}, probe.BothWays, smallestMTU, min(most, largestPacket))
}

// mtuSlack is how far beyond the nodes' link a path's MTU is searched, in bytes.
const mtuSlack = 100

// SeenMTU is what a path takes, there and back and in each direction alone, and
// what TCP makes of it: the bytes of payload in a segment, 0 where the kernel
// does not say.
type SeenMTU struct {
	Both  probe.PathMTU `json:"both"`
	There probe.PathMTU `json:"there"`
	Back  probe.PathMTU `json:"back"`
	MSS   int           `json:"mss"`
}

// SeekMTU searches what the path of a pair takes to an address of its server.
func (b *Bench) SeekMTU(ctx context.Context, pair Pair, to Address) (SeenMTU, error) {
	var seen SeenMTU
	end, most := b.ClientEnd(pair), largestPacket
	if link := b.Cluster.Site().LinkMTU; link > 0 && pair.Ends.Placement == CrossNode { // else no link limits it
		most = min(link+mtuSlack, largestPacket)
	}
	var err error
	if seen.Both, err = seekMTU(ctx, end, to, probe.BothWays, smallestMTU, most); err != nil {
		return seen, err
	}
	if seen.There, err = seekOneWay(ctx, end, to, probe.There, seen.Both, most); err != nil {
		return seen, err
	}
	if seen.Back, err = seekOneWay(ctx, end, to, probe.Back, seen.Both, most); err != nil {
		return seen, err
	}
	connected, err := reachFrom(ctx, end, to)
	seen.MSS = connected.MSS
	return seen, err
}

// seekOneWay searches from what passed both ways on. Mostly that is all, and a
// search that begins with a byte more need not wait for many that are lost.
func seekOneWay(ctx context.Context, from LoadEnd, to Address, way probe.Way, both probe.PathMTU, most int) (probe.PathMTU, error) {
	if both.Bytes >= most {
		return both, nil
	}
	m, err := seekMTU(ctx, from, to, way, both.Bytes, both.Bytes+1)
	if err == nil && m.AtLimit && m.Bytes < most {
		return seekMTU(ctx, from, to, way, m.Bytes, most)
	}
	m.AtLimit = err == nil && m.Bytes == most
	return m, err
}

// seekMTU searches the largest IP packet, from least to most bytes, that passes
// unfragmented between an end and the echo of a server at an address.
func seekMTU(ctx context.Context, from LoadEnd, to Address, way probe.Way, least, most int) (probe.PathMTU, error) {
	var m probe.PathMTU
	err := ask(ctx, from.Run, probe.FrameMTU, &m, "reach", "mtu", to.Host, "--port", strconv.Itoa(to.Port(EchoPort)),
		"--way", string(way), "--min", strconv.Itoa(least), "--max", strconv.Itoa(most))
	return m, err
}
