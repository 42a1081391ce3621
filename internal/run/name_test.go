package run

import (
	"strings"
	"testing"
)

// Names of clusters are short enough for labs, and different for variants whose
// names begin alike.
func TestNameFor(t *testing.T) {
	r := &Runner{Prefix: "run-12345-"}
	for _, tt := range []struct{ variant, want string }{
		{"flannel-vxlan-mtu9000", "run-12345-flannel-vxlan-mtu9000"},
		{"again", "run-12345-again"}, {"again", "run-12345-again-2"}, {"again-2", "run-12345-again-2-2"}, {"again", "run-12345-again-3"},
	} {
		if got := r.nameFor(tt.variant); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.variant, got, tt.want)
		}
	}
	long := strings.Repeat("long-", 11)
	a, b := r.nameFor(long+"a"), r.nameFor(long+"b")
	if a == b || len(a) > maxClusterName || len(b) > maxClusterName || !strings.HasPrefix(a, "run-12345-long-") {
		t.Errorf("%sa and %sb have the clusters %s and %s", long, long, a, b)
	}
}

// The second cluster of a variant and the first of one that is called so are two.
func TestPeerName(t *testing.T) {
	for _, order := range [][]string{{"host", "host-peer"}, {"host-peer", "host"}} {
		r, seen := &Runner{Prefix: "run-1-"}, map[string]bool{}
		for _, variant := range append(order, strings.Repeat("long-", 11)) {
			first := r.nameFor(variant)
			for _, name := range []string{first, r.peerName(first)} {
				if seen[name] || len(name) > maxClusterName {
					t.Errorf("%v: a cluster is called %s, others %v", order, name, seen)
				}
				seen[name] = true
			}
		}
	}
}
