package capture

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEthernet(t *testing.T) {
	pod := podPacket("hello")
	esp := make([]byte, 40)
	wg := append([]byte{4, 0, 0, 0}, make([]byte, 60)...)
	tests := []struct {
		name      string
		frame     []byte
		protocol  string
		transport string
		grows     int // by the outer headers
	}{
		{"bare", eth(etherIPv4, pod), "none", "udp", 0},
		{"bare behind a VLAN tag", eth(etherVLAN, append([]byte{0, 7, 0x08, 0x00}, pod...)), "none", "udp", 0},
		{"VXLAN of Linux", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(etherIPv4, pod))))), "vxlan", "udp", 50},
		{"VXLAN of IANA", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(4789, vxlanOf(eth(etherIPv4, pod))))), "vxlan", "udp", 50},
		{"no VXLAN on its port", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(4789, make([]byte, 60)))), "none", "udp", 55},
		{"ARP in VXLAN", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(0x0806, make([]byte, 28)))))), "vxlan", "", 45},
		{"Geneve with options", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(6081, geneveOf(8, eth(etherIPv4, pod))))), "geneve", "udp", 58},
		{"IPIP", eth(etherIPv4, ipv4(protoIPIP, node1, node2, pod)), "ipip", "udp", 20},
		{"GRE with a key", eth(etherIPv4, ipv4(protoGRE, node1, node2, append([]byte{0x20, 0, 0x08, 0, 0, 0, 0, 9}, pod...))), "gre", "udp", 28},
		{"WireGuard", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(51820, wg))), "wireguard", "", 59},
		{"WireGuard of Cilium", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(51871, wg))), "wireguard", "", 59},
		{"ESP", eth(etherIPv4, ipv4(protoESP, node1, node2, esp)), "ipsec", "", 27},
		{"ESP in UDP", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(4500, append([]byte{1, 2, 3, 4}, esp...)))), "ipsec", "", 39},
		{"IKE", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(4500, make([]byte, 40)))), "none", "udp", 35},
		{"ESP in VXLAN", eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(etherIPv4, ipv4(protoESP, node1, node2, esp)))))), "vxlan+ipsec", "", 77},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseEthernet(tt.frame)
			want := Packet{addr(node1), addr(node2), tt.protocol, tt.transport, len(pod) + tt.grows}
			if tt.grows == 0 {
				want.Source, want.Destination = addr(pod1), addr(pod2)
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Packet) bool { return a == b })); !ok || diff != "" {
				t.Errorf("%t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestParseIPv6(t *testing.T) {
	inner := ipv6(protoTCP, "fd00::1", "fd00::2", make([]byte, 20))
	options := append([]byte{protoUDP, 0, 1, 4, 0, 0, 0, 0}, udp(6081, geneveOf(0, eth(etherIPv6, inner)))...)
	got, ok := ParseIP(ipv6(extOptions, "2001:db8::1", "2001:db8::2", options))
	want := Packet{addr("2001:db8::1"), addr("2001:db8::2"), "geneve", "tcp", 40 + 8 + 8 + 8 + 14 + len(inner)}
	if !ok || got != want {
		t.Errorf("%t, %+v, want %+v", ok, got, want)
	}
}

// A later fragment has no header of its own: what looks like one is payload.
func TestParseFragment(t *testing.T) {
	b := ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(etherIPv4, podPacket("hello")))))
	b[6], b[7] = 0, 100
	if got, ok := ParseIP(b); !ok || got.Protocol != "fragment" || got.Transport != "" {
		t.Errorf("%t, %+v", ok, got)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, frame := range map[string][]byte{
		"nothing": nil, "no Ethernet": make([]byte, 13), "ARP": eth(0x0806, make([]byte, 28)),
		"cut IPv4": eth(etherIPv4, make([]byte, 19)), "header longer than the packet": eth(etherIPv4, append([]byte{0x4f}, make([]byte, 30)...)),
		"cut VLAN tag": eth(etherVLAN, []byte{0, 7}), "cut IPv6": eth(etherIPv6, make([]byte, 39)),
	} {
		if got, ok := ParseEthernet(frame); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Tunnels in tunnels end.
func TestParseDeep(t *testing.T) {
	b := podPacket("hello")
	for range 20 {
		b = ipv4(protoIPIP, node1, node2, b)
	}
	if got, ok := ParseIP(b); !ok || got.Protocol != "ipip+ipip+ipip+ipip" {
		t.Errorf("%t, %+v", ok, got)
	}
}

// Frames are anybody's: whatever they hold, parsing ends and says something
// that can be true.
func FuzzParse(f *testing.F) {
	f.Add(eth(etherIPv4, podPacket("hello")))
	f.Add(eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(8472, vxlanOf(eth(etherIPv4, podPacket("hello")))))))
	f.Add(eth(etherIPv4, ipv4(protoUDP, node1, node2, udp(6081, geneveOf(8, eth(etherIPv4, podPacket("hello")))))))
	f.Add(eth(etherIPv6, ipv6(extFragment, "fd00::1", "fd00::2", []byte{17, 0, 0, 1, 0, 0, 0, 0, 1})))
	f.Add(eth(etherIPv4, ipv4(protoGRE, node1, node2, []byte{0xb0, 0, 0x65, 0x58})))
	f.Fuzz(func(t *testing.T, frame []byte) {
		for _, parse := range []func([]byte) (Packet, bool){ParseEthernet, ParseIP} {
			p, ok := parse(frame)
			if !ok {
				continue
			}
			if !p.Source.IsValid() || !p.Destination.IsValid() || p.Protocol == "" || p.Length < 20 || p.Length > 65535+40 && p.Length > len(frame) {
				t.Errorf("%+v of %x", p, frame)
			}
		}
	})
}
