//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// wantFacts fails the test unless a variant behind VXLAN says what its nodes,
// links and pods are.
func wantFacts(t *testing.T, v result.Variant) {
	t.Helper()
	if diff := cmp.Diff([]string{"node1", "node2"}, v.LoadNodes); diff != "" {
		t.Errorf("nodes that carry load (-want +got):\n%s", diff)
	}
	if len(v.Kernels) != 1 || !slices.Contains(v.Kernels[0].Nodes, "node1") || !slices.Contains(v.Kernels[0].Nodes, "node2") {
		t.Fatalf("the nodes of a lab share one kernel, and it is described %d times: %+v", len(v.Kernels), v.Kernels)
	}
	for _, node := range v.LoadNodes {
		f := v.FactsOf(node)
		for name, want := range map[string]string{
			"uplink.name": "eth0", "uplink.driver": "veth", "uplink.mtu": "1500", "uplink.qdisc": "noqueue", "uplink.programs": "none",
			"uplink.offload.tx-tcp-segmentation": "on", "uplink.offload.rx-gro-hw": "off [fixed]",
			"link.flannel.1.driver": "vxlan", "link.flannel.1.mtu": "1450", "link.cni0.kind": "bridge",
			"pod-link.driver": "veth", "pod-link.mtu": "1450", "foreign": "none",
		} {
			if got := f.Values[name]; got != want {
				t.Errorf("%s: %s is %q (%s), want %q", node, name, got, f.Missing[name], want)
			}
		}
		for _, name := range []string{"kernel.release", "kernel.version", "cpu.online", "clocksource", "sysctl.net.ipv4.tcp_available_congestion_control", "sysctl.net.core.netdev_budget", "node.kubelet"} {
			if f.Values[name] == "" {
				t.Errorf("%s: there is no %s: %s", node, name, f.Missing[name])
			}
		}
		for _, name := range []string{"uplink.speed", "uplink.ring", "uplink.firmware", "placement.provider", "placement.zone"} {
			if f.Missing[name] == "" {
				t.Errorf("%s: %s is %q, and a veth in a lab has none", node, name, f.Values[name])
			}
		}
	}
	if differences := v.NodeDifferences(); len(differences) > 0 {
		t.Errorf("two nodes of one lab differ: %v", differences)
	}
	for end, f := range v.Ends {
		if f.Values["pod.mtu"] != "1450" || f.Values["pod.driver"] != "veth" || f.Values["sysctl.net.ipv4.tcp_congestion_control"] != "cubic" {
			t.Errorf("the %s's pod: %v, missing %v", end, f.Values, f.Missing)
		}
	}
	var way []string
	for _, h := range v.Path {
		way = append(way, strings.TrimSpace(h.Place+" "+h.Link))
		want := 1450
		if h.Link == "uplink" {
			want = 1500
		}
		if h.MTU != want {
			t.Errorf("%s %s carries %d bytes, want %d", h.Place, h.Link, h.MTU, want)
		}
	}
	const want = "client pod eth0, client node pod's link, client node bridge cni0, client node tunnel flannel.1, client node uplink, " +
		"server node uplink, server node tunnel flannel.1, server node bridge cni0, server node pod's link, server pod eth0, route, path"
	if got := strings.Join(way, ", "); got != want {
		t.Errorf("the way from pod to pod is\n%s, want\n%s", got, want)
	}
}

// wantSameFacts fails the test if two runs on one machine say different things of
// it, variant by variant.
func wantSameFacts(t *testing.T, first, second result.Environment) {
	t.Helper()
	if len(first.Variants) == 0 {
		t.Error("the first run has noted nothing")
	}
	for name, a := range first.Variants {
		b := second.Variants[name]
		if len(a.Kernels) == 0 {
			t.Errorf("%s has no facts", name)
		}
		if diff := cmp.Diff(a.Kernels, b.Kernels); diff != "" {
			t.Errorf("kernels of %s (-first +second):\n%s", name, diff)
		}
		if diff := cmp.Diff(a.Path, b.Path); diff != "" {
			t.Errorf("the path of %s (-first +second):\n%s", name, diff)
		}
		if diff := cmp.Diff(a.Ends, b.Ends); diff != "" {
			t.Errorf("pods of %s (-first +second):\n%s", name, diff)
		}
		for _, n := range a.Nodes {
			if diff := cmp.Diff(a.FactsOf(n.Name), b.FactsOf(n.Name)); diff != "" {
				t.Errorf("%s of %s (-first +second):\n%s", n.Name, name, diff)
			}
		}
	}
}
