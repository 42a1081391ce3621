package witness

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// Packet is what a packet socket says of a frame.
type Packet struct {
	At      time.Time
	Leaving bool
	Data    []byte // its beginning, from the Ethernet header on
	Length  int    // of the frame, or how much of it was kept
}

type segment struct {
	from, to    netip.AddrPort
	value, echo uint32
	flags       byte
	payload     int
}

// Trips returns the round-trip times of the segments that passed in one
// direction, in the order of their ends, of connections that are asked for. A
// packet must be passed when it was seen, so they come in the order of their
// times.
func Trips(packets []Packet, leaving bool, wanted func(from, to netip.AddrPort) bool) []time.Duration {
	type way struct{ from, to netip.AddrPort }
	type mark struct {
		way
		value uint32
	}
	type start struct {
		at      time.Time
		leaving bool
	}
	newest, waiting := map[way]uint32{}, map[mark]start{}
	ordered := slices.Clone(packets)
	slices.SortStableFunc(ordered, func(a, b Packet) int { return a.At.Compare(b.At) })
	var trips []time.Duration
	for _, p := range ordered {
		s, ok := parse(p)
		if !ok || !wanted(s.from, s.to) && !wanted(s.to, s.from) || s.flags&4 != 0 {
			continue
		}
		back := mark{way{s.to, s.from}, s.echo}
		if begun, ok := waiting[back]; ok && s.flags&16 != 0 {
			delete(waiting, back)
			if begun.leaving == leaving {
				trips = append(trips, p.At.Sub(begun.at))
			}
		}
		if s.payload == 0 && s.flags&3 == 0 {
			continue
		}
		w := way{s.from, s.to}
		last, known := newest[w]
		if known && s.value == last || known && s.flags&2 == 0 && int32(s.value-last) < 0 {
			continue
		}
		newest[w] = s.value
		waiting[mark{w, s.value}] = start{p.At, p.Leaving}
	}
	return trips
}

// parse reads a TCP segment with timestamps out of a frame, or out of one in
// VXLAN.
func parse(p Packet) (s segment, ok bool) {
	b, rest := p.Data, p.Length
	for range 2 {
		if len(b) < 14 {
			return s, false
		}
		kind := binary.BigEndian.Uint16(b[12:])
		b, rest = b[14:], rest-14
		var source, destination netip.Addr
		var protocol byte
		switch {
		case kind == 0x0800 && len(b) >= 20 && len(b) >= int(b[0]&15)*4:
			header := int(b[0]&15) * 4
			source, _ = netip.AddrFromSlice(b[12:16])
			destination, _ = netip.AddrFromSlice(b[16:20])
			protocol, b, rest = b[9], b[header:], rest-header
		case kind == 0x86dd && len(b) >= 40:
			source, _ = netip.AddrFromSlice(b[8:24])
			destination, _ = netip.AddrFromSlice(b[24:40])
			protocol, b, rest = b[6], b[40:], rest-40
		default:
			return s, false
		}
		if protocol == 17 && len(b) >= 16 && binary.BigEndian.Uint16(b[2:]) == 8472 {
			b, rest = b[16:], rest-16
			continue
		}
		if protocol != 6 || len(b) < 20 || len(b) < int(b[12]>>4)*4 {
			return s, false
		}
		header := int(b[12]>>4) * 4
		s.from = netip.AddrPortFrom(source, binary.BigEndian.Uint16(b))
		s.to = netip.AddrPortFrom(destination, binary.BigEndian.Uint16(b[2:]))
		s.flags, s.payload = b[13], rest-header
		s.value, s.echo, ok = stamps(b[20:header])
		return s, ok
	}
	return s, false
}

func stamps(options []byte) (value, echo uint32, ok bool) {
	for len(options) > 1 && options[0] != 0 {
		length := 1
		if options[0] != 1 {
			length = int(options[1])
		}
		if length < 1 || length > len(options) {
			return 0, 0, false
		}
		if options[0] == 8 && length == 10 {
			return binary.BigEndian.Uint32(options[2:]), binary.BigEndian.Uint32(options[6:]), true
		}
		options = options[length:]
	}
	return 0, 0, false
}
