package capture

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// Builders of packets, from the inside out. Fields that nobody reads are 0.

func ipv4(proto byte, src, dst string, payload []byte) []byte {
	b := make([]byte, 20, 20+len(payload))
	b[0], b[9] = 0x45, proto
	binary.BigEndian.PutUint16(b[2:], uint16(20+len(payload)))
	copy(b[12:], netip.MustParseAddr(src).AsSlice())
	copy(b[16:], netip.MustParseAddr(dst).AsSlice())
	return append(b, payload...)
}

func ipv6(proto byte, src, dst string, payload []byte) []byte {
	b := make([]byte, 40, 40+len(payload))
	b[0], b[6] = 0x60, proto
	binary.BigEndian.PutUint16(b[4:], uint16(len(payload)))
	copy(b[8:], netip.MustParseAddr(src).AsSlice())
	copy(b[24:], netip.MustParseAddr(dst).AsSlice())
	return append(b, payload...)
}

func udp(port uint16, payload []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0xff, 0xff}, port)
	b = binary.BigEndian.AppendUint16(b, uint16(8+len(payload)))
	return append(append(b, 0, 0), payload...)
}

func eth(kind uint16, payload []byte) []byte {
	return append(binary.BigEndian.AppendUint16(make([]byte, 12), kind), payload...)
}

func vxlanOf(inner []byte) []byte {
	return append([]byte{0x08, 0, 0, 0, 0, 0, 1, 0}, inner...)
}

func geneveOf(options int, inner []byte) []byte {
	b := append([]byte{byte(options / 4), 0}, 0x65, 0x58, 0, 0, 1, 0)
	return slices.Concat(b, make([]byte, options), inner)
}

const (
	node1, node2 = "198.18.0.11", "198.18.0.12"
	pod1, pod2   = "10.244.0.2", "10.244.4.2"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// podPacket is what a pod sends: a datagram.
func podPacket(payload string) []byte { return ipv4(protoUDP, pod1, pod2, udp(7007, []byte(payload))) }
