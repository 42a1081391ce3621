package plan_test

import (
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
)

func TestClusterDescription(t *testing.T) {
	for _, tt := range []struct {
		cluster    plan.Cluster
		kind, want string
	}{
		{plan.Cluster{Lab: &plan.Lab{Nodes: 1, MTU: 1500, KubeProxy: "none", MaxPods: 110}}, "lab", "lab: 1 node, MTU 1500, kube-proxy none, at most 110 pods per node"},
		{plan.Cluster{Lab: &plan.Lab{Nodes: 3, KubeProxy: "nftables", MaxPods: 110}}, "lab", "lab: 3 nodes, MTU by variant, kube-proxy nftables, at most 110 pods per node"},
		{
			plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110, Peer: true}}, "lab",
			"lab: 2 nodes, MTU 1500, kube-proxy iptables, at most 110 pods per node, and a second such lab beside it",
		},
		{
			plan.Cluster{Existing: &plan.Existing{Peer: &plan.Peer{Kubeconfig: "kc", Context: "c", Nodes: plan.Nodes{Server: "a"}}}}, "existing",
			"existing: the current context, its network plugin is left alone; the second cluster: context c of kc, server on a",
		},
		{plan.Cluster{Existing: &plan.Existing{}}, "existing", "existing: the current context, its network plugin is left alone"},
		{
			plan.Cluster{Existing: &plan.Existing{
				Kubeconfig: "kc", Context: "c", AllowCNIChange: true, AllowForeign: true, Nodes: plan.Nodes{Server: "a", Client: "b"}, Outside: plan.Outside{Address: "192.0.2.7", Command: "ssh a"},
			}}, "existing",
			"existing: context c of kc, server on a, client on b, a host outside at 192.0.2.7, network plugins are installed and removed, other workloads may run beside",
		},
		{
			plan.Cluster{Command: &plan.Command{Up: "./up", Down: "./down", Nodes: plan.Nodes{Selector: "pool=bench", ControlPlane: true}}}, "command",
			`command: made by "./up", removed by "./down", nodes with pool=bench, control plane too`,
		},
	} {
		if got := tt.cluster.Description(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
		if got := tt.cluster.Kind(); got != tt.kind {
			t.Errorf("kind %q, want %q", got, tt.kind)
		}
	}
}
