package capture

import (
	"encoding/binary"
	"net/netip"
	"strings"
)

// Packet is what the headers of one frame say.
type Packet struct {
	Source, Destination netip.Addr // outermost
	// Protocol names the tunnels, outermost first and joined by +: vxlan,
	// geneve, ipip, gre, wireguard, ipsec, or none. What an encrypted tunnel
	// carries cannot be told. The later fragments of a packet are "fragment".
	Protocol string
	// Transport is udp, tcp, or a number of IANA's registry, of the innermost
	// packet that can be read; empty for an encrypted one.
	Transport string
	Length    int // of the outermost IP packet in bytes, its header included
}

// maxDepth bounds the tunnels inside each other: packets are anybody's input.
const maxDepth = 4

// Ethernet types (IEEE registration authority).
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherVLAN = 0x8100
	etherQinQ = 0x88a8
	etherTEB  = 0x6558 // Ethernet inside GRE and Geneve
)

// Protocol numbers of IP (IANA).
const (
	protoIPIP = 4
	protoTCP  = 6
	protoUDP  = 17
	protoIPv6 = 41
	protoGRE  = 47
	protoESP  = 50
)

// ParseEthernet reads a frame with an Ethernet header. It is false for what is
// no IP packet.
func ParseEthernet(frame []byte) (Packet, bool) {
	kind, payload, ok := ethernet(frame)
	if !ok {
		return Packet{}, false
	}
	return parse(kind, payload)
}

// ParseIP reads a packet of a device without Ethernet headers.
func ParseIP(packet []byte) (Packet, bool) {
	if len(packet) == 0 {
		return Packet{}, false
	}
	kind := uint16(etherIPv4)
	if packet[0]>>4 == 6 {
		kind = etherIPv6
	}
	return parse(kind, packet)
}

func parse(kind uint16, payload []byte) (Packet, bool) {
	ip, ok := parseIP(kind, payload)
	if !ok {
		return Packet{}, false
	}
	p := Packet{Source: ip.source, Destination: ip.destination, Length: ip.length}
	var tunnels []string
	tunnels, p.Transport = unwrap(ip)
	p.Protocol = "none"
	if len(tunnels) > 0 {
		p.Protocol = strings.Join(tunnels, "+")
	}
	return p, true
}

// unwrap takes tunnels off until something else is inside.
func unwrap(ip header) (tunnels []string, transport string) {
	for range maxDepth {
		if ip.fragment {
			return append(tunnels, "fragment"), ""
		}
		t := tunnelOf(ip)
		if t.name == "" {
			return tunnels, transportName(ip.protocol)
		}
		tunnels = append(tunnels, t.name)
		if t.encrypted {
			return tunnels, ""
		}
		inner, ok := parseIP(t.kind, t.payload)
		if !ok { // such as ARP
			return tunnels, ""
		}
		ip = inner
	}
	return tunnels, ""
}

// ethernet takes off the link's header with up to two VLAN tags.
func ethernet(frame []byte) (kind uint16, payload []byte, ok bool) {
	const header, tag = 14, 4
	if len(frame) < header {
		return 0, nil, false
	}
	kind, payload = binary.BigEndian.Uint16(frame[12:]), frame[header:]
	for range 2 {
		if kind != etherVLAN && kind != etherQinQ {
			break
		}
		if len(payload) < tag {
			return 0, nil, false
		}
		kind, payload = binary.BigEndian.Uint16(payload[2:]), payload[tag:]
	}
	return kind, payload, true
}
