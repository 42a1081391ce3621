package scenario

import (
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// labOf is a lab of two nodes, changed.
func labOf(change func(*plan.Lab)) plan.Cluster {
	l := plan.Lab{Nodes: 2, MaxPods: 110, KubeProxy: "iptables"}
	change(&l)
	return plan.Cluster{Lab: &l}
}

// foreseeClusters are those of the table, by name.
var foreseeClusters = map[string]plan.Cluster{
	"usual":    labOf(func(*plan.Lab) {}),
	"single":   labOf(func(l *plan.Lab) { l.Nodes = 1 }),
	"joined":   labOf(func(l *plan.Lab) { l.Peer = true }),
	"six":      labOf(func(l *plan.Lab) { l.IPFamily = "ipv6" }),
	"dual":     labOf(func(l *plan.Lab) { l.IPFamily = "dual" }),
	"bare":     labOf(func(l *plan.Lab) { l.KubeProxy = "none" }),
	"existing": {Existing: &plan.Existing{}},
	"two":      {Existing: &plan.Existing{Peer: &plan.Peer{Context: "b"}, Outside: plan.Outside{Address: "192.0.2.1"}}},
	"made":     {Command: &plan.Command{}},
}

var foreseeTests = []struct {
	scenario   string
	parameters string // NAME=VALUE, besides the defaults
	cluster    string // of foreseeClusters
	variant    string
	want       string // is in the reason; empty: there is none
}{
	{"cross-cluster", "", "usual", "host", "no second cluster"},
	{"cross-cluster-rr", "", "existing", "host", "no second cluster"},
	{"cross-cluster", "", "made", "host", "no second cluster"},
	{"cross-cluster", "", "joined", "host", ""},
	{"cross-cluster-rr", "", "two", "host", ""},
	{"cross-cluster", "ip-family=ipv6", "joined", "host", "no address of the family ipv6"},
	{"http", "path=ingress", "usual", "host", stage.NoIngressClass},
	{"http", "path=ingress", "existing", "host", ""},
	{"http", "target=shop", "usual", "host", ""},
	{"mesh", "", "single", "host", "a mesh needs two nodes"},
	{"fan-in", "", "single", "host", "fan-in needs two nodes"},
	{"fan-out", "", "single", "host", "fan-out needs two nodes"},
	{"mesh", "", "usual", "host", ""},
	{"fan-in", "", "existing", "host", ""},
	{"tcp-pod-single", "client=external path=node-port", "existing", "host", "nobody knows a host outside"},
	{"tcp-pod-single", "client=external path=node-port", "made", "host", "nobody knows a host outside"},
	{"tcp-pod-single", "client=external path=node-port", "two", "host", ""},
	{"tcp-pod-single", "client=external path=node-port", "usual", "host", ""},
	{"tcp-pod-single", "", "existing", "host", ""},
	{"egress", "", "existing", "host", "nobody knows a host outside"},
	{"egress", "outside=192.0.2.1", "existing", "host", ""},
	{"egress", "", "usual", "host", ""},
	{"tcp-rr", "ip-family=ipv6", "usual", "host", "no address of the family ipv6"},
	{"tcp-rr", "ip-family=ipv4", "six", "host", "no address of the family ipv4"},
	{"tcp-rr", "ip-family=ipv4", "usual", "host", ""},
	{"tcp-rr", "ip-family=ipv6", "six", "host", ""},
	{"tcp-rr", "ip-family=ipv6", "dual", "host", ""},
	{"tcp-rr", "ip-family=ipv6", "existing", "host", ""},
	{"tcp-rr", "", "six", "host", ""},
	{"idle", "", "six", "cilium-kpr", "install.ipv6 in the catalog"},
	{"idle", "", "dual", "cilium-kpr", ""},
	{"idle", "", "dual", "calico-iptables-vxlan", "install.dualStack in the catalog"},
	{"idle", "", "six", "flannel-vxlan", ""},
	{"idle", "", "existing", "cilium-kpr", ""},
	{"pod-density", "pods=111", "usual", "host", "maxPods=110: 111 pods"},
	{"pod-density", "pods=110", "usual", "host", ""},
	{"pod-density", "pods=2000", "existing", "host", ""},
	{"pod-startup", "nodes=3", "usual", "host", "3 nodes are needed, and load may run on 2"},
	{"pod-startup", "nodes=2", "usual", "host", ""},
	{"pod-startup", "nodes=2 pods=111", "usual", "host", "maxPods=110"},
	{"pod-startup", "nodes=100", "existing", "host", ""},
	{"disruption", "event=agent-restart", "usual", "host", "host has no agent that could restart"},
	{"disruption", "event=agent-restart", "usual", "flannel-vxlan", ""},
	{"disruption", "event=agent-restart", "existing", "installed", "allowCNIChange"},
	{"disruption", "event=agent-restart", "made", "installed", ""},
	{"disruption", "event=kubelet-restart", "usual", "host", ""},
	{"disruption", "event=kubelet-restart", "existing", "host", "kubelet"},
	{"disruption", "event=upgrade", "usual", "flannel-vxlan", ""},
	{"disruption", "event=upgrade", "usual", "host", "host installs no plugin"},
	{"disruption", "event=upgrade", "made", "installed", "not installed by cnibench"},
	{"disruption", "event=upgrade", "existing", "flannel-vxlan", "allowCNIChange"},
	{"disruption", "event=upgrade to=v0.26.7", "usual", "flannel-vxlan", ""},
	{"disruption", "event=upgrade to=1.20.2", "usual", "flannel-vxlan", "the catalog has no version 1.20.2; it has v0.28"},
	{"disruption", "event=upgrade to=0.28.9", "usual", "flannel-vxlan", "v0.28.9 already"},
	{"policy-scaling", "", "usual", "flannel-vxlan", "flannel-vxlan enforces no NetworkPolicy"},
	{"idle", "", "bare", "flannel-vxlan", "does not replace kube-proxy"},
	{"tcp-pod-single", "path=cluster-ip", "bare", "host", "no kube-proxy"},
	{"tcp-pod-single", "path=headless", "bare", "host", ""},
	{"tcp-pod-single", "path=cluster-ip", "bare", "cilium-kpr", ""},
	{"service-scaling", "", "bare", "host", "no kube-proxy"},
	{"tcp-pod-single", "path=load-balancer", "six", "host", "IPv4 alone"},
	{"tcp-pod-single", "path=load-balancer ip-family=ipv6", "dual", "host", "IPv4 alone"},
	{"tcp-pod-single", "path=load-balancer", "dual", "host", ""},
}

// What a file and the catalog show is known beforehand; of a cluster that is
// not known, nothing is claimed.
func TestForesee(t *testing.T) {
	for _, tt := range foreseeTests {
		on, there := foreseeClusters[tt.cluster]
		if !there {
			t.Fatalf("there is no cluster %s", tt.cluster)
		}
		got := foreseen(t, tt.scenario, tt.parameters, on, tt.variant)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s of %s on %s: %q, want %q", tt.scenario, tt.parameters, tt.variant, tt.cluster, got, tt.want)
		}
	}
}

func foreseen(t *testing.T, name, parameters string, on plan.Cluster, variant string) string {
	t.Helper()
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	entry, err := catalog.Entry(variant, cni.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	v := parameter.Values{}
	for _, p := range s.Parameters {
		v[p.Name] = p.Defaults()[0]
	}
	for _, field := range strings.Fields(parameters) {
		key, value, _ := strings.Cut(field, "=")
		if !v.Has(key) {
			t.Fatalf("%s has no parameter %s", name, key)
		}
		v[key] = value
	}
	return s.Foresee(v, Setting{Shape: on.Shape(), Entry: entry})
}

// No scenario knows before it is tried that it cannot run where all is there.
func TestForeseeNothing(t *testing.T) {
	all := plan.Cluster{Lab: &plan.Lab{Nodes: 3, MaxPods: 600, KubeProxy: "iptables", Peer: true}}
	for _, s := range All() {
		if s.Name == "policy-http" {
			continue // whose policies fewer plugins enforce
		}
		if got := foreseen(t, s.Name, "", all, "cilium-vxlan"); got != "" {
			t.Errorf("%s: %s", s.Name, got)
		}
	}
}

// A mesh takes longer with more nodes, and what is not known counts as three.
func TestMeshDuration(t *testing.T) {
	s, err := Find("mesh")
	if err != nil {
		t.Fatal(err)
	}
	v := parameter.Values{"duration": "3s", "omit": "1s", "parallel": "true"}
	apart := parameter.Values{"duration": "3s", "omit": "1s", "parallel": "false"}
	for _, tt := range []struct {
		v             parameter.Values
		nodes, rounds int
	}{{v, 0, 3}, {v, 2, 1}, {v, 3, 3}, {v, 10, 9}, {v, 11, 11}, {apart, 3, 3}, {apart, 10, 45}} {
		if got := s.DurationOn(tt.v, tt.nodes).Seconds(); got != float64(5*tt.rounds) {
			t.Errorf("%v on %d nodes: %g s, want %d rounds", tt.v, tt.nodes, got, tt.rounds)
		}
	}
}
