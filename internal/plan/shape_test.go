package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
)

// A lab is known, of others only what the campaign says.
func TestShape(t *testing.T) {
	lab := plan.Shape{Nodes: 3, MaxPods: 110, KubeProxy: "iptables", IPv4: true, Lab: true, Outside: true}
	with := func(change func(*plan.Shape)) plan.Shape { s := lab; change(&s); return s }
	made := func(change func(*plan.Lab)) plan.Cluster {
		l := plan.Lab{Nodes: 3, MaxPods: 110, KubeProxy: "iptables"}
		change(&l)
		return plan.Cluster{Lab: &l}
	}
	host := plan.Outside{Address: "192.0.2.1", Command: "ssh host"}
	for _, tt := range []struct {
		name    string
		cluster plan.Cluster
		want    plan.Shape
	}{
		{"lab", made(func(*plan.Lab) {}), lab},
		{"joined labs", made(func(l *plan.Lab) { l.Peer = true }), with(func(s *plan.Shape) { s.Peer = true })},
		{"lab with IPv6", made(func(l *plan.Lab) { l.IPFamily = "ipv6" }), with(func(s *plan.Shape) { s.IPv4, s.IPv6 = false, true })},
		{"lab with both", made(func(l *plan.Lab) { l.IPFamily = "dual" }), with(func(s *plan.Shape) { s.IPv6 = true })},
		{"existing", plan.Cluster{Existing: &plan.Existing{}}, plan.Shape{KeepsCNI: true}},
		{"existing to be changed", plan.Cluster{Existing: &plan.Existing{AllowCNIChange: true}}, plan.Shape{}},
		{"existing with all", plan.Cluster{Existing: &plan.Existing{Peer: &plan.Peer{Context: "b"}, Outside: host}}, plan.Shape{Peer: true, Outside: true, KeepsCNI: true}},
		{"command", plan.Cluster{Command: &plan.Command{}}, plan.Shape{}},
		{"command with a host", plan.Cluster{Command: &plan.Command{Outside: host}}, plan.Shape{Outside: true}},
	} {
		if diff := cmp.Diff(tt.want, tt.cluster.Shape()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What is not known lacks nothing.
func TestLacksFamily(t *testing.T) {
	for _, tt := range []struct {
		name       string
		shape      plan.Shape
		four, six  bool
		dual, only bool
	}{
		{"not known", plan.Shape{}, false, false, false, false},
		{"IPv4", plan.Shape{IPv4: true}, false, true, false, false},
		{"IPv6", plan.Shape{IPv6: true}, true, false, false, true},
		{"both", plan.Shape{IPv4: true, IPv6: true}, false, false, true, false},
	} {
		s := tt.shape
		if s.LacksFamily("ipv4") != tt.four || s.LacksFamily("ipv6") != tt.six || s.LacksFamily("first") || s.DualStack() != tt.dual || s.IPv6Only() != tt.only {
			t.Errorf("%s: lacks IPv4 %t, IPv6 %t; both %t, IPv6 alone %t", tt.name, s.LacksFamily("ipv4"), s.LacksFamily("ipv6"), s.DualStack(), s.IPv6Only())
		}
	}
}

// A variant may have its own way to carry Services.
func TestShapeFor(t *testing.T) {
	lab := plan.Cluster{Lab: &plan.Lab{Nodes: 3, KubeProxy: "iptables"}}
	for own, want := range map[string]string{"": "iptables", "nftables": "nftables"} {
		if got := lab.ShapeFor(plan.Variant{KubeProxy: own}).KubeProxy; got != want {
			t.Errorf("%q: %s, want %s", own, got, want)
		}
	}
}
