package cni

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/capture"
)

var exampleEnds = [2]nodeEnd{
	{"node1", netip.MustParseAddr("198.18.0.11"), netip.MustParseAddr("10.244.0.2")},
	{"node2", netip.MustParseAddr("198.18.0.12"), netip.MustParseAddr("10.244.4.2")},
}

// exampleBurst is what both nodes' links show of 250 canaries, each a packet
// of 1028 bytes when it leaves the pod.
func exampleBurst(protocol string, overhead int, canary bool) burst {
	b := burst{size: 1028, nodes: exampleEnds, sent: probe.CanarySent{Datagrams: 200, DatagramsAnswered: 200, Messages: 50, MessagesAnswered: 50}}
	for i := range b.reports {
		c := capture.Count{
			Kind: capture.Kind{
				Source: exampleEnds[i].node, Destination: exampleEnds[1-i].node, Leaving: true, Protocol: protocol,
			},
			Packets: 300, Lengths: map[int]int64{1028 + overhead: 200, 1052 + overhead: 50, 90: 50},
		}
		if protocol == "none" {
			c.Source, c.Destination = exampleEnds[i].pod, exampleEnds[1-i].pod
		}
		if canary {
			c.Canary = 250
		}
		b.reports[i] = capture.Report{
			Interface: "eth0", Prefix: netip.PrefixFrom(exampleEnds[i].node, 24), Counts: []capture.Count{c},
		}
	}
	return b
}

func TestObserveWire(t *testing.T) {
	nodes := [2]string{"node1", "node2"}
	for _, tt := range []struct {
		name string
		b    burst
		want Wire
	}{
		{"VXLAN", exampleBurst("vxlan", 50, true), Wire{"vxlan", false, 300, [2]int64{250, 250}, nodes, 50, 1078. / 1028}},
		{"bare", exampleBurst("none", 0, true), Wire{"none", false, 300, [2]int64{250, 250}, nodes, 0, 1}},
		{"WireGuard", exampleBurst("wireguard", 72, false), Wire{"wireguard", true, 300, [2]int64{}, nodes, 72, 1100. / 1028}},
		{"ESP in VXLAN", exampleBurst("vxlan+ipsec", 110, false), Wire{"vxlan+ipsec", true, 300, [2]int64{}, nodes, 110, 1138. / 1028}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := observeWire(tt.b)
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A packet that arrived by IPsec is shown a second time, decrypted: it never
// was on the link like that.
func TestObserveWireIgnoresWhatArrives(t *testing.T) {
	b := exampleBurst("ipsec", 60, false)
	b.reports[1].Counts = append(b.reports[1].Counts, capture.Count{
		Kind:    capture.Kind{Source: exampleEnds[0].pod, Destination: exampleEnds[1].pod, Protocol: "none", Transport: "udp"},
		Packets: 250, Canary: 250, Lengths: map[int]int64{1028: 200},
	})
	if got, err := observeWire(b); err != nil || !got.Encrypted || got.Protocol != "ipsec" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestObserveWireCannotTell(t *testing.T) {
	change := func(protocol string, canary bool, f func(*burst)) burst {
		b := exampleBurst(protocol, 50, canary)
		f(&b)
		return b
	}
	for _, tt := range []struct {
		name    string
		b       burst
		unknown bool
		want    string
	}{
		{"lost packets may have had the canary", change("wireguard", false, func(b *burst) { b.reports[1].Dropped = 3 }), true, "capture on eth0 lost 3 packets"},
		{"nor what was cut", change("wireguard", false, func(b *burst) { b.reports[0].Truncated = 1 }), true, "cut 1"},
		{"another link", change("vxlan", false, func(*burst) {}), false, "they took another path"},
		{"answers take another link", change("vxlan", true, func(b *burst) { b.reports[1].Counts = nil }), false, "only 0 left node2 on eth0: the others took another path"},
		{"answers may have been lost", change("vxlan", true, func(b *burst) { b.reports[1].Counts, b.reports[1].Dropped = nil, 9 }), true, "lost 9 packets"},
		{"too few packets for what was sent", change("wireguard", false, func(b *burst) { b.reports[0].Counts[0].Packets = 99 }), false, "250 canaries were answered"},
		{"two ways", change("vxlan", true, func(b *burst) { b.reports[1].Counts[0].Protocol = "none" }), false, "different ways: vxlan and none"},
		{"a network that loses", change("vxlan", true, func(b *burst) { b.sent.DatagramsAnswered = 100 }), false, "of 200 datagrams 100 were answered"},
		{"a network that stops", change("vxlan", true, func(b *burst) { b.sent.MessagesAnswered, b.sent.Stopped = 3, "reset" }), false, "messages 3: reset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := observeWire(tt.b)
			if err == nil || isUnknown(err) != tt.unknown || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v; want unknown %t: %s", got, err, tt.unknown, tt.want)
			}
		})
	}
}

func TestJudgeWire(t *testing.T) {
	says := func(protocol string, encrypted bool) Entry {
		return Entry{Name: "x", Encapsulation: Encapsulation{Protocol: protocol, Encrypted: encrypted}}
	}
	crossSubnet := says("ipip", false)
	crossSubnet.Encapsulation.CrossSubnetOnly = true
	present := says("", true)
	present.Variant.Present = true
	for _, tt := range []struct {
		name       string
		e          Entry
		sameSubnet bool
		b          burst
		want       string // part of the error, or nothing
	}{
		{"VXLAN as said", says("vxlan", false), true, exampleBurst("vxlan", 50, true), ""},
		{"bare, of which nothing is said", says("", false), true, exampleBurst("none", 0, true), ""},
		{"WireGuard as said", says("wireguard", true), true, exampleBurst("wireguard", 72, false), ""},
		{"what is inside ESP cannot be seen", says("ipsec+gre", true), true, exampleBurst("ipsec", 100, false), ""},
		{"ESP in VXLAN as said", says("vxlan+ipsec", true), true, exampleBurst("vxlan+ipsec", 110, false), ""},
		{"said to be encrypted", says("wireguard", true), true, exampleBurst("vxlan", 50, true), "canary seen in plain text in 250 packets that left node1"},
		{"said to be plain", says("vxlan", false), true, exampleBurst("wireguard", 72, false), "said not to be encrypted"},
		{"said to be bare", says("none", false), true, exampleBurst("vxlan", 50, true), "encapsulation between the nodes is vxlan (50 bytes), but x is said to have none"},
		{"another tunnel", says("geneve", false), true, exampleBurst("vxlan", 50, true), "is vxlan"},
		{"another encryption", says("ipsec", true), true, exampleBurst("wireguard", 72, false), "is wireguard"},
		{"bare within the subnet", crossSubnet, true, exampleBurst("none", 0, true), ""},
		{"a tunnel within the subnet", crossSubnet, true, exampleBurst("ipip", 20, true), "said to have none"},
		{"a tunnel across subnets", crossSubnet, false, exampleBurst("ipip", 20, true), ""},
		{"the size is another's", says("vxlan", false), true, exampleBurst("vxlan", 20, true), "packets grow by 20 bytes"},
		{"nothing is said of what is there", present, true, exampleBurst("geneve", 50, true), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, err := observeWire(tt.b)
			if err != nil {
				t.Fatal(err)
			}
			err = judgeWire(tt.e, tt.sameSubnet, w)
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestJudgeMTU(t *testing.T) {
	e := Entry{Encapsulation: Encapsulation{Protocol: "vxlan", Bytes: 50}}
	for _, tt := range []struct {
		name                  string
		route, device, passed int
		want                  string // part of the error, or nothing
	}{
		{"all agree", 1450, 1450, 1450, ""},
		{"the interface alone is larger (Cilium)", 1450, 1500, 1450, ""},
		{"forced packets pass in fragments of the tunnel", 1450, 1500, 1500, ""},
		{"the route promises too much (Canal)", 1500, 1500, 1450, "the path takes 1450: larger ones are lost"},
		{"another encapsulation", 1440, 1440, 1440, "packets of up to 1440 bytes are sent, expected 1450"},
		{"none at all", 1500, 1500, 1500, "expected 1450 (link 1500, encapsulation 50"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := judgeMTU(e, 1500, probe.PathMTU{Route: tt.route, Device: tt.device, Bytes: tt.passed, Interface: "eth0"})
			if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestJudgePolicy(t *testing.T) {
	enforcing := Entry{Plugin: Plugin{Name: "cilium"}, Enforces: Enforces{NetworkPolicy: true}}
	without := Entry{Plugin: Plugin{Name: "flannel"}}
	for _, tt := range []struct {
		name   string
		e      Entry
		denied bool
		want   string
		bad    bool
	}{
		{"enforced as said", enforcing, true, "enforced (ingress deny-all took 0.4 s to act)", false},
		{"not enforced as said", without, false, "unsupported (flannel enforces none: a deny-all policy changed nothing)", false},
		{"said to be enforced", enforcing, false, "", true},
		{"said not to be enforced", without, true, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := judgePolicy(tt.e, tt.denied, 400*time.Millisecond)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
