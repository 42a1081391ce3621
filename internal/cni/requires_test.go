package cni

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/cluster"
)

// fakeMachines answers two questions and panics on all others.
type fakeMachines struct {
	cluster.Machines
	kubeProxy string
}

func (f fakeMachines) KubeProxy() string  { return f.kubeProxy }
func (f fakeMachines) Site() cluster.Site { return fourOnly }

func TestRequires(t *testing.T) {
	for _, tt := range []struct {
		variant, kubeProxy string
		missing            string // part of what is said; empty: nothing is
		services           bool
	}{
		{"host", "iptables", "", true},
		{"host", "none", "", false},
		{"flannel-vxlan", "iptables", "", true},
		{"flannel-vxlan", "nftables", "", true},
		{"flannel-vxlan", "none", "flannel-vxlan does not replace kube-proxy", false},
	} {
		t.Run(tt.variant+" with "+tt.kubeProxy, func(t *testing.T) {
			c := &cluster.Cluster{Machines: fakeMachines{kubeProxy: tt.kubeProxy}}
			got := Missing(c, entry(t, tt.variant))
			if (got == "") != (tt.missing == "") || !strings.Contains(got, tt.missing) {
				t.Errorf("missing is %q, want %q", got, tt.missing)
			}
			if got := Services(c, entry(t, tt.variant)); got != tt.services {
				t.Errorf("Services are carried: %t", got)
			}
		})
	}
}
