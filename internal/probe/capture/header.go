package capture

import (
	"encoding/binary"
	"net/netip"
	"strconv"
)

// header is what matters of an IP header.
type header struct {
	source, destination netip.Addr
	protocol            byte
	fragment            bool // not the first one: no transport header follows
	length              int  // of the packet, header included
	payload             []byte
}

func parseIP(kind uint16, b []byte) (header, bool) {
	switch kind {
	case etherIPv4:
		return parseIPv4(b)
	case etherIPv6:
		return parseIPv6(b)
	}
	return header{}, false
}

// parseIPv4 reads a header of RFC 791. Packets that segmentation offload made
// larger than the length field can say have 0 there.
func parseIPv4(b []byte) (header, bool) {
	if len(b) < 20 || b[0]>>4 != 4 {
		return header{}, false
	}
	size := int(b[0]&0x0f) * 4
	if size < 20 || len(b) < size {
		return header{}, false
	}
	h := header{
		source: netip.AddrFrom4([4]byte(b[12:16])), destination: netip.AddrFrom4([4]byte(b[16:20])),
		protocol: b[9], fragment: binary.BigEndian.Uint16(b[6:])&0x1fff != 0, length: int(binary.BigEndian.Uint16(b[2:])),
	}
	if h.length == 0 {
		h.length = len(b)
	}
	if h.length < size {
		return header{}, false
	}
	h.payload = b[size:min(h.length, len(b))]
	return h, true
}

// Extension headers of IPv6 that may precede the transport's (RFC 8200).
const (
	extHopByHop = 0
	extRouting  = 43
	extFragment = 44
	extOptions  = 60
)

// parseIPv6 reads a header of RFC 8200 and skips up to four extensions.
func parseIPv6(b []byte) (header, bool) {
	const size = 40
	if len(b) < size || b[0]>>4 != 6 {
		return header{}, false
	}
	h := header{
		source: netip.AddrFrom16([16]byte(b[8:24])), destination: netip.AddrFrom16([16]byte(b[24:40])),
		protocol: b[6], length: size + int(binary.BigEndian.Uint16(b[4:])),
	}
	if h.length == size {
		h.length = len(b)
	}
	rest := b[size:min(h.length, len(b))]
	for range 4 {
		if h.protocol != extHopByHop && h.protocol != extRouting && h.protocol != extFragment && h.protocol != extOptions {
			break
		}
		if len(rest) < 8 {
			return header{}, false
		}
		skip := 8
		if h.protocol == extFragment {
			h.fragment = h.fragment || binary.BigEndian.Uint16(rest[2:])&0xfff8 != 0
		} else {
			skip += int(rest[1]) * 8
		}
		if len(rest) < skip {
			return header{}, false
		}
		h.protocol, rest = rest[0], rest[skip:]
	}
	h.payload = rest
	return h, true
}

func transportName(protocol byte) string {
	switch protocol {
	case protoTCP:
		return "tcp"
	case protoUDP:
		return "udp"
	}
	return strconv.Itoa(int(protocol))
}
