package run

import (
	"strings"
	"testing"
)

// Names of clusters are short enough for labs, and different for variants whose
// names begin alike.
func TestNameFor(t *testing.T) {
	r := &Runner{Prefix: "run-12345-", created: map[string]int{"again": 2}}
	for variant, want := range map[string]string{
		"flannel-vxlan-mtu9000": "run-12345-flannel-vxlan-mtu9000",
		"again":                 "run-12345-again-3",
	} {
		if got := r.nameFor(variant); got != want {
			t.Errorf("%s: %s, want %s", variant, got, want)
		}
	}
	long := strings.Repeat("long-", 11)
	a, b := r.nameFor(long+"a"), r.nameFor(long+"b")
	if a == b || len(a) > maxClusterName || len(b) > maxClusterName || !strings.HasPrefix(a, "run-12345-long-") {
		t.Errorf("%sa and %sb have the clusters %s and %s", long, long, a, b)
	}
}
