package stream

import "fmt"

// Bytes of an Ethernet frame around the IP packet: destination and source
// address, type, and the frame check sequence (IEEE 802.3).
const (
	ethernetHeader = 14
	checkSequence  = 4
	ipv4Header     = 20
	ipv6Header     = 40
	udpHeader      = 8
)

// The smallest and largest frames: Ethernet's minimum, and the largest IPv4
// packet.
const (
	MinSize = 64
	MaxSize = 65535 + ethernetHeader + checkSequence
)

// payloadOf returns how many bytes a datagram carries in a frame of size
// bytes, check sequence included.
func payloadOf(size int, ipv6 bool) (int, error) {
	payload := size - ethernetHeader - checkSequence - udpHeader - ipv4Header
	if ipv6 {
		payload += ipv4Header - ipv6Header
	}
	if payload < minPayload {
		return 0, fmt.Errorf("a frame of %d bytes has no room for a datagram's header: it takes %d", size, size+minPayload-payload)
	}
	return payload, nil
}

// PacketOf returns the bytes of the IP packet in a frame of size bytes: what
// an MTU limits.
func PacketOf(size int) int { return size - ethernetHeader - checkSequence }

// LinkBytesOf returns the bytes of a frame as Linux counts them on a link:
// without the check sequence.
func LinkBytesOf(size int) int { return size - checkSequence }
