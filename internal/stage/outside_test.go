package stage

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
)

// A client outside has no pod: where it enters is what its placement is about,
// and all load on the nodes' network does not move it there.
func TestPairOutside(t *testing.T) {
	pair := Pair{
		Server: cluster.Pod{Name: "s", Node: "node2"}, Entry: cluster.Node{Name: "node1", Address: "198.18.0.11"},
		Ends: Ends{Client: External, Server: InPod, Placement: CrossNode},
	}
	if err := pair.verify(); err != nil {
		t.Error(err)
	}
	if pods := pair.Pods(); len(pods) != 1 || pods[0].Name != "s" {
		t.Errorf("load pods: %v", pods)
	}
	if got := pair.entry(); got != "node1 198.18.0.11, and the server is on node2" {
		t.Errorf("it enters at %s", got)
	}
	pair.Server.Node = "node1"
	var invalid *InvalidError
	if err := pair.verify(); !errors.As(err, &invalid) {
		t.Errorf("entering at the server's node instead of another: %v", err)
	}
	pair.Ends.Placement = SameNode
	if err := pair.verify(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(Ends{Client: External, Server: OnHost, Placement: SameNode}, pair.Ends.resolve(true)); diff != "" {
		t.Errorf("ends on the nodes' network (-want +got):\n%s", diff)
	}
}

// What a client outside cannot do is refused before anything runs.
func TestOutsideMisfit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		v       parameter.Values
		problem string
	}{
		{"a node's port", parameter.Values{"client": External, "path": NodePort}, ""},
		{"a load balancer", parameter.Values{"client": External, "path": LoadBalancer}, ""},
		{"the pod, where it is routed", parameter.Values{"client": External, "path": PodIP}, ""},
		{"the cluster's own address", parameter.Values{"client": External, "path": ClusterIP}, "mean nothing outside"},
		{"a name", parameter.Values{"client": External, "path": ServiceName}, "mean nothing outside"},
		{"another name", parameter.Values{"client": External, "path": Headless}, "mean nothing outside"},
		{"a client in a pod", parameter.Values{"client": InPod, "path": ClusterIP}, ""},
		{"no client", parameter.Values{"path": ClusterIP}, ""},
		{"nic-rtt", parameter.Values{"client": External, "path": NodePort, "nic-rtt": "true"}, "nic-rtt"},
		{"no nic-rtt", parameter.Values{"client": External, "path": NodePort, "nic-rtt": "false"}, ""},
		{"CPUs", parameter.Values{"client": External, "path": NodePort, "cpuset": "0", "numa": "free"}, "cpuset"},
		{"CPUs near the card", parameter.Values{"client": External, "path": NodePort, "cpuset": "free", "numa": "near"}, "numa"},
		{"a family", parameter.Values{"client": External, "path": NodePort, "ip-family": IPv6}, "ip-family"},
		{"any family", parameter.Values{"client": External, "path": NodePort, "ip-family": FirstFamily}, ""},
		{"all CPUs", parameter.Values{"client": External, "path": NodePort, "cpuset": "free", "numa": "free"}, ""},
	} {
		problem, remedy := OutsideMisfit(tt.v)
		if (problem == "") != (tt.problem == "") || !strings.Contains(problem, tt.problem) || (problem == "") != (remedy == "") {
			t.Errorf("%s: %q (%q), want %q", tt.name, problem, remedy, tt.problem)
		}
	}
}

func TestFreeAddress(t *testing.T) {
	kept := netip.MustParsePrefix("198.18.1.0/30")
	for _, tt := range []struct {
		taken []string
		want  string
	}{
		{nil, "198.18.1.1"},
		{[]string{"198.18.1.1", "10.96.0.1"}, "198.18.1.2"},
		{[]string{"198.18.1.2"}, "198.18.1.1"}, // free again
		{[]string{"198.18.1.1", "198.18.1.2", "198.18.1.3"}, ""},
	} {
		taken := map[string]bool{}
		for _, a := range tt.taken {
			taken[a] = true
		}
		got, err := freeAddress(kept, taken)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("beside %v: %q, %v, want %q", tt.taken, got, err, tt.want)
		}
	}
}

func TestIngress(t *testing.T) {
	for want, given := range map[string][]corev1.LoadBalancerIngress{
		"":                 nil,
		"192.0.2.7":        {{IP: "192.0.2.7"}, {IP: "192.0.2.8"}},
		"a.lb.example.com": {{}, {Hostname: "a.lb.example.com"}},
	} {
		svc := &corev1.Service{Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: given}}}
		if got := ingress(svc); got != want {
			t.Errorf("%v is %q, want %q", given, got, want)
		}
	}
}
