package capture

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
)

// Bounds of what a capture remembers, however much passes.
const (
	maxKinds   = 256
	maxLengths = 64
)

// Tally counts the frames of one interface. Its memory is bounded.
type Tally struct {
	canary             []byte
	between            map[[2]netip.Addr]bool
	packets, truncated int64
	counts             map[Kind]*Count
	evidence           evidence
}

// NewTally makes an empty one.
func NewTally(s Spec) *Tally {
	t := &Tally{canary: s.Canary, between: map[[2]netip.Addr]bool{}, counts: map[Kind]*Count{}}
	for _, pair := range s.Between {
		a, b := pair[0].Unmap(), pair[1].Unmap()
		t.between[[2]netip.Addr{a, b}], t.between[[2]netip.Addr{b, a}] = true, true
	}
	return t
}

// Frame is one frame as the kernel hands it out.
type Frame struct {
	Data     []byte // may be cut
	Length   int    // of all of it
	Ethernet bool   // it begins with an Ethernet header, not with IP's
	Leaving  bool   // the node sent it
}

// Add counts a frame if it is between watched addresses or has the canary.
func (t *Tally) Add(f Frame) {
	t.packets++
	if f.Length > len(f.Data) {
		t.truncated++
	}
	canary := len(t.canary) > 0 && bytes.Contains(f.Data, t.canary)
	parse := ParseIP
	if f.Ethernet {
		parse = ParseEthernet
	}
	p, ok := parse(f.Data)
	if !canary && (!ok || !t.between[[2]netip.Addr{p.Source, p.Destination}]) {
		return
	}
	kind := Kind{Source: p.Source, Destination: p.Destination, Leaving: f.Leaving, Protocol: p.Protocol, Transport: p.Transport}
	if !ok {
		kind.Protocol = "other"
	}
	t.count(kind, p.Length, canary)
	t.evidence.keep(f, canary)
}

func (t *Tally) count(kind Kind, length int, canary bool) {
	c := t.counts[kind]
	if c == nil {
		if len(t.counts) >= maxKinds {
			t.truncated++ // it is not counted, and nobody is to believe that it was
			return
		}
		c = &Count{Kind: kind, Lengths: map[int]int64{}}
		t.counts[kind] = c
	}
	c.Packets++
	if canary {
		c.Canary++
	}
	if _, known := c.Lengths[length]; known || len(c.Lengths) < maxLengths {
		c.Lengths[length]++
	}
}

// Report tells what was counted so far, in a fixed order.
func (t *Tally) Report() Report {
	r := Report{Packets: t.packets, Truncated: t.truncated, Counts: []Count{}, Pcap: t.evidence.pcap()}
	for _, c := range t.counts {
		r.Counts = append(r.Counts, *c)
	}
	slices.SortFunc(r.Counts, func(a, b Count) int {
		return cmp.Or(a.Source.Compare(b.Source), a.Destination.Compare(b.Destination), cmp.Compare(a.Protocol, b.Protocol),
			cmp.Compare(a.Transport, b.Transport), compareBool(a.Leaving, b.Leaving))
	})
	return r
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
