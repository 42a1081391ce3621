package cni

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/capture"
)

// Wire is what a burst of canaries showed of the link between two nodes.
type Wire struct {
	Protocol  string // as capture.Packet has it: what travels between the nodes
	Encrypted bool   // no canary was seen in it
	Packets   int64  // of that protocol that left the client's node
	Canaries  [2]int64
	Nodes     [2]string // the client's and the server's
	// Overhead is what a datagram grew by on its way to the link, in bytes.
	Overhead int
	Ratio    float64 // bytes on the link per byte that left the pod
}

// burst is what was sent, and what both ends' nodes saw leave.
type burst struct {
	sent probe.CanarySent
	// size of a datagram as it leaves the pod, IP header included, in bytes.
	size    int
	reports [2]capture.Report // of the client's and the server's node
	nodes   [2]nodeEnd
}

// nodeEnd is one end of the path.
type nodeEnd struct {
	name      string
	node, pod netip.Addr
}

// observeWire finds out what travels: in plain text what the canaries were in,
// otherwise the encrypted tunnel between the nodes. It is an error if that
// cannot be told.
func observeWire(b burst) (Wire, error) {
	if b.sent.Stopped != "" || b.sent.DatagramsAnswered*10 < b.sent.Datagrams*9 || b.sent.MessagesAnswered < b.sent.Messages {
		return Wire{}, fmt.Errorf("of %d datagrams %d were answered, of %d messages %d: %s", b.sent.Datagrams, b.sent.DatagramsAnswered,
			b.sent.Messages, b.sent.MessagesAnswered, b.sent.Stopped)
	}
	w := Wire{Nodes: [2]string{b.nodes[0].name, b.nodes[1].name}}
	var seen []capture.Count
	for end, report := range b.reports {
		for _, c := range report.Counts {
			if c.Leaving && c.Canary > 0 {
				w.Canaries[end] += c.Canary
				seen = append(seen, c)
			}
		}
	}
	if len(seen) == 0 {
		return observeEncrypted(b, w)
	}
	for _, c := range seen {
		if c.Protocol != seen[0].Protocol {
			return w, fmt.Errorf("the canary travels in different ways: %s and %s", seen[0].Protocol, c.Protocol)
		}
	}
	answered := int64(b.sent.DatagramsAnswered + b.sent.MessagesAnswered)
	for end, report := range b.reports {
		if w.Canaries[end] >= answered/2 {
			continue
		}
		reason := fmt.Sprintf("%d canaries were answered, but only %d left %s on %s", answered, w.Canaries[end], w.Nodes[end], report.Interface)
		if report.Dropped+report.Truncated > 0 {
			return w, &unknownError{fmt.Sprintf("%s; the capture lost %d packets and cut %d", reason, report.Dropped, report.Truncated)}
		}
		return w, errors.New(reason + ": the others took another path")
	}
	w.Protocol = seen[0].Protocol
	return w.measure(b, func(c capture.Count) bool { return c.Canary > 0 })
}

// observeEncrypted takes it that the canaries are in the packets of the
// encrypted tunnel, of which there must be at least as many.
func observeEncrypted(b burst, w Wire) (Wire, error) {
	for _, report := range b.reports {
		if report.Dropped+report.Truncated > 0 {
			return w, &unknownError{fmt.Sprintf("the canary was not seen, but the capture on %s lost %d packets and cut %d",
				report.Interface, report.Dropped, report.Truncated)}
		}
	}
	w.Encrypted = true
	packets := map[string]int64{}
	for _, c := range b.reports[0].Counts {
		if between(c, b.nodes) && encrypts(c.Protocol) {
			packets[c.Protocol] += c.Packets
		}
	}
	for protocol, n := range packets {
		if n > packets[w.Protocol] || n == packets[w.Protocol] && protocol < w.Protocol {
			w.Protocol = protocol
		}
	}
	if want := int64(b.sent.DatagramsAnswered + b.sent.MessagesAnswered); packets[w.Protocol] < want {
		return w, fmt.Errorf("%d canaries were answered, but neither they nor as many packets of an encrypted tunnel left %s on %s: they took another path",
			want, b.nodes[0].name, b.reports[0].Interface)
	}
	return w.measure(b, func(c capture.Count) bool { return c.Protocol == w.Protocol && between(c, b.nodes) })
}

// unknownError says that the capture proves nothing.
type unknownError struct{ reason string }

func (e *unknownError) Error() string { return "unknown: " + e.reason }

func between(c capture.Count, nodes [2]nodeEnd) bool {
	return c.Leaving && c.Source == nodes[0].node && c.Destination == nodes[1].node
}

// encrypts tells whether the innermost tunnel that can be read is encrypted.
func encrypts(protocol string) bool {
	last := protocol[strings.LastIndex(protocol, "+")+1:]
	return last == "wireguard" || last == "ipsec"
}

// measure takes the most frequent length of packets that left the client's
// node: that of the datagrams, which are the most. Lengths of single packets
// are exact where an interface's counters are not: those also count the
// traffic that starts the sender, and what segmentation offload joined.
func (w Wire) measure(b burst, counts func(capture.Count) bool) (Wire, error) {
	lengths := map[int]int64{}
	for _, c := range b.reports[0].Counts {
		if !c.Leaving || !counts(c) {
			continue
		}
		w.Packets += c.Packets
		for length, n := range c.Lengths {
			lengths[length] += n
		}
	}
	most := 0
	for length, n := range lengths {
		if n > lengths[most] || n == lengths[most] && length < most {
			most = length
		}
	}
	if most == 0 {
		return w, fmt.Errorf("the canary did not leave %s on %s", b.nodes[0].name, b.reports[0].Interface)
	}
	w.Overhead, w.Ratio = most-b.size, float64(most)/float64(b.size)
	return w, nil
}

// judgeWire compares what travels with what the catalog says.
func judgeWire(e Entry, sameSubnet bool, w Wire) error {
	if e.Variant.Present {
		return nil // nothing is said of what the cluster has
	}
	says := e.Encapsulation
	if says.Encrypted && !w.Encrypted {
		return fmt.Errorf("canary seen in plain text in %d packets that left %s and %d that left %s (%s), but %s is said to be encrypted",
			w.Canaries[0], w.Nodes[0], w.Canaries[1], w.Nodes[1], w.Protocol, e.Name)
	}
	if !says.Encrypted && w.Encrypted {
		return fmt.Errorf("canary not seen, packets are %s, but %s is said not to be encrypted", w.Protocol, e.Name)
	}
	want := protocolOf(says)
	if says.CrossSubnetOnly && sameSubnet {
		want = "none"
	}
	if want = visible(want); w.Protocol != want {
		return fmt.Errorf("encapsulation between the nodes is %s (%d bytes), but %s is said to have %s", w.Protocol, w.Overhead, e.Name, want)
	}
	least, most := expectedOverhead(want)
	if w.Overhead < least || w.Overhead > most {
		return fmt.Errorf("packets grow by %d bytes (link to pod %.3f), %s adds %d to %d", w.Overhead, w.Ratio, want, least, most)
	}
	return nil
}

func protocolOf(e Encapsulation) string {
	if e.Protocol == "" {
		return "none"
	}
	return e.Protocol
}

// visible is what can be read of a combination of tunnels from outside: all up
// to the first that is encrypted.
func visible(protocol string) string {
	layers := strings.Split(protocol, "+")
	if i := slices.IndexFunc(layers, encrypts); i >= 0 {
		layers = layers[:i+1]
	}
	return strings.Join(layers, "+")
}

// overheads are the bytes that tunnels add to a packet, the outer IP header
// included. VXLAN and Geneve: 20 or 40 IP + 8 UDP + 8 + 14 inner Ethernet (RFC
// 7348, 8926), Geneve up to 252 of options. IPIP: 20 or 40 (RFC 2003). GRE:
// 4 to 16 (RFC 2890), and inner Ethernet. WireGuard: 20 or 40 + 8 UDP + 16 + 16
// and padding to 16. ESP (RFC 4303): 8, a vector of 8 to 16, 2 and padding to
// 16, a check value of 12 to 32, UDP of 8; in tunnel mode an IP header; in
// transport mode perhaps around GRE, which cannot be seen.
var overheads = map[string][2]int{
	"none":      {0, 0},
	"vxlan":     {50, 70},
	"geneve":    {50, 322},
	"ipip":      {20, 40},
	"gre":       {24, 70},
	"wireguard": {60, 95},
	"ipsec":     {30, 191},
}

func expectedOverhead(protocol string) (least, most int) {
	for layer := range strings.SplitSeq(protocol, "+") {
		o := overheads[layer]
		least, most = least+o[0], most+o[1]
	}
	return least, most
}

func (w Wire) facts() map[string]string {
	canary := fmt.Sprintf("seen in %d packets that left %s and %d that left %s: not encrypted", w.Canaries[0], w.Nodes[0], w.Canaries[1], w.Nodes[1])
	if w.Encrypted {
		canary = fmt.Sprintf("not seen in %d packets of %s that left %s: encrypted", w.Packets, w.Protocol, w.Nodes[0])
	}
	return map[string]string{
		"encapsulation seen": fmt.Sprintf("%s, %d bytes per packet, link to pod bytes %.3f", w.Protocol, w.Overhead, w.Ratio),
		"canary":             canary,
	}
}

func (w Wire) summary() string {
	switch {
	case w.Encrypted:
		return w.Protocol + " on the link without the canary (encrypted)"
	case w.Protocol == "none":
		return "bare packets on the link with the canary in plain text (not encrypted)"
	}
	return w.Protocol + " on the link with the canary in plain text (not encrypted)"
}

// isUnknown tells a capture that proves nothing from one that contradicts.
func isUnknown(err error) bool {
	var unknown *unknownError
	return errors.As(err, &unknown)
}
