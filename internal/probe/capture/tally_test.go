package capture

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const canary = "0123456789abcdef0123456789ABCDEF"

func exampleSpec() Spec {
	return Spec{Canary: []byte(canary), Between: [][2]netip.Addr{{addr(node1), addr(node2)}, {addr(pod1), addr(pod2)}}}
}

func whole(data []byte, leaving bool) Frame {
	return Frame{Data: data, Length: len(data), Ethernet: true, Leaving: leaving}
}

func TestTally(t *testing.T) {
	tally := NewTally(exampleSpec())
	tunnel := func(payload string) []byte {
		return eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(etherIPv4, podPacket(payload))))))
	}
	for range 3 {
		tally.Add(whole(tunnel("xx"+canary), true))
	}
	tally.Add(whole(tunnel("harmless"), true))
	tally.Add(whole(tunnel(canary[1:]), true))
	tally.Add(whole(eth(etherIPv4, podPacket(canary)), false))
	tally.Add(whole(eth(etherIPv4, ipv4(protoUDP, node1, "192.0.2.1", udp(53, []byte("foreign")))), true))
	tally.Add(whole(eth(0x1234, []byte(canary)), true))
	tally.Add(Frame{Data: tunnel("")[:70], Length: 2000, Ethernet: true, Leaving: true})

	r := tally.Report()
	if r.Packets != 9 || r.Truncated != 1 {
		t.Errorf("%d packets, %d truncated", r.Packets, r.Truncated)
	}
	size := 20 + 8 + 8 + 14 + 20 + 8
	want := []Count{
		{Kind: Kind{Leaving: true, Protocol: "other"}, Packets: 1, Canary: 1, Lengths: map[int]int64{0: 1}},
		{
			Kind:    Kind{addr(pod1), addr(pod2), false, "none", "udp"},
			Packets: 1, Canary: 1, Lengths: map[int]int64{28 + len(canary): 1},
		},
		{
			Kind: Kind{addr(node1), addr(node2), true, "vxlan", ""}, Packets: 1,
			Lengths: map[int]int64{size: 1}, // what is cut is no readable inner packet
		},
		{
			Kind: Kind{addr(node1), addr(node2), true, "vxlan", "udp"}, Packets: 5, Canary: 3,
			Lengths: map[int]int64{size + 2 + len(canary): 3, size + len("harmless"): 1, size + len(canary) - 1: 1},
		},
	}
	if diff := cmp.Diff(want, r.Counts, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// Whatever passes, memory stays bounded, and nobody is told that all was seen.
func TestTallyIsBounded(t *testing.T) {
	tally := NewTally(exampleSpec())
	for i := range 2 * maxKinds {
		source := fmt.Sprintf("10.1.%d.%d", i/256, i%256)
		for n := range 2 * maxLengths / 16 {
			payload := append([]byte(canary), make([]byte, n)...)
			tally.Add(whole(eth(etherIPv4, ipv4(protoUDP, source, node2, udp(9, payload))), true))
		}
	}
	r := tally.Report()
	if len(r.Counts) != maxKinds || r.Truncated == 0 {
		t.Errorf("%d kinds, %d not counted", len(r.Counts), r.Truncated)
	}
	if most := 2 * keptOfEach * (keptBytes + 16); len(r.Pcap) > most {
		t.Errorf("evidence of %d bytes", len(r.Pcap))
	}
}

func TestPcap(t *testing.T) {
	tally := NewTally(exampleSpec())
	plain, secret := eth(etherIPv4, podPacket("plain")), eth(etherIPv4, podPacket(canary))
	tally.Add(whole(plain, true))
	tally.Add(whole(secret, true))
	b := tally.Report().Pcap
	if len(b) != 24+2*16+len(plain)+len(secret) || binary.LittleEndian.Uint32(b) != 0xa1b2c3d4 || binary.LittleEndian.Uint32(b[20:]) != linkEthernet {
		t.Fatalf("%d bytes: % x", len(b), b[:24])
	}
	first := b[24:]
	if n := binary.LittleEndian.Uint32(first[8:]); int(n) != len(secret) || string(first[16:16+n]) != string(secret) {
		t.Errorf("the first of the kept frames is % x", first[:40])
	}
	if got := NewTally(exampleSpec()).Report().Pcap; got != nil {
		t.Errorf("of nothing there is a file of %d bytes", len(got))
	}
}
