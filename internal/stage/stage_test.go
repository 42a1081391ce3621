package stage

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
)

func TestPairVerify(t *testing.T) {
	for _, tt := range []struct {
		name           string
		ends           Ends
		client, server cluster.Pod
		ok             bool
	}{
		{"apart", Ends{Client: InPod, Server: InPod, Placement: CrossNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node2"}, true},
		{"together, to be apart", Ends{Client: InPod, Server: InPod, Placement: CrossNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node1"}, false},
		{"together", Ends{Client: InPod, Server: InPod, Placement: SameNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node1"}, true},
		{"apart, to be together", Ends{Client: InPod, Server: InPod, Placement: SameNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node2"}, false},
		{"pod to host", Ends{Client: InPod, Server: OnHost, Placement: CrossNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node2", HostNetwork: true}, true},
		{"pod to pod, to be host to pod", Ends{Client: OnHost, Server: InPod, Placement: CrossNode}, cluster.Pod{Node: "node1"}, cluster.Pod{Node: "node2"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Pair{Client: tt.client, Server: tt.server, Ends: tt.ends}.verify()
			var invalid *InvalidError
			if tt.ok && err != nil || !tt.ok && !errors.As(err, &invalid) {
				t.Errorf("error %v, want an *InvalidError: %t", err, !tt.ok)
			}
		})
	}
}

func TestEnds(t *testing.T) {
	v := parameter.Values{"server": OnHost, parameter.Placement: SameNode}
	if diff := cmp.Diff(Ends{Client: InPod, Server: OnHost, Placement: SameNode}, EndsOf(v)); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Ends{Client: OnHost, Server: OnHost, Placement: SameNode}, EndsOf(v).resolve(true)); diff != "" {
		t.Errorf("ends of the host baseline (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Ends{Client: InPod, Server: InPod, Placement: CrossNode}, Ends{Placement: CrossNode}.resolve(false)); diff != "" {
		t.Errorf("ends that were left open (-want +got):\n%s", diff)
	}
}

// fakeMachines knows the sysctls of pods and the control groups of two nodes,
// and panics when asked anything else.
type fakeMachines struct {
	cluster.Machines
	shared bool
}

func (fakeMachines) PodSysctls() map[string]string {
	return map[string]string{"net.ipv4.tcp_congestion_control": "cubic"}
}
func (fakeMachines) ToolsImage() string              { return "tools" }
func (fakeMachines) Unattributed() map[string]string { return nil }
func (f fakeMachines) Samplers() []string {
	if f.shared {
		return []string{"node1"}
	}
	return []string{"node1", "node2"}
}
func (f fakeMachines) SharedKernel() bool            { return f.shared }
func (fakeMachines) NodeNames() []string             { return []string{"node1", "node2"} }
func (fakeMachines) ClusterGroups(n string) []string { return []string{"/all/" + n} }
func (fakeMachines) PodGroup(p cluster.Pod) string   { return "/pods/" + p.Node + "/" + p.UID }
func (fakeMachines) SystemGroups(n string) map[string][]string {
	return map[string][]string{"kubelet": {"/" + n + "/kubelet"}}
}

// Load pods are bound to their node, unlimited and never restarted; with their
// node's network they take its settings, with their own the cluster's.
func TestLoadPods(t *testing.T) {
	for _, hostNetwork := range []bool{false, true} {
		s := &Stage{cluster: &cluster.Cluster{Machines: fakeMachines{}}}
		kind := map[bool]string{true: OnHost, false: InPod}[hostNetwork]
		p := s.Pod("client", "node2", kind, []string{"cnibench-probe", "pause"})
		if p.Spec.NodeName != "node2" || p.Spec.HostNetwork != hostNetwork || p.Spec.RestartPolicy != corev1.RestartPolicyNever {
			t.Errorf("%+v", p.Spec)
		}
		if r := p.Spec.Containers[0].Resources; len(r.Limits)+len(r.Requests) > 0 {
			t.Errorf("the load is limited: %+v", r)
		}
		pinned := p.Spec.SecurityContext != nil && len(p.Spec.SecurityContext.Sysctls) == 1 && p.Spec.SecurityContext.Sysctls[0].Value == "cubic"
		if pinned == hostNetwork {
			t.Errorf("host network: %t, security context: %+v", hostNetwork, p.Spec.SecurityContext)
		}
	}
}

// Where nodes share a kernel one sampler sees the groups of all; else each
// sees its own. The probe wants paths relative to the mount point.
func TestGroups(t *testing.T) {
	agents := []cluster.Pod{{Node: "node1", UID: "a1"}, {Node: "node2", UID: "a2"}}
	load := []cluster.Pod{{Node: "node2", UID: "l2"}}
	for _, tt := range []struct {
		name   string
		shared bool
		want   map[string][]string
	}{
		{"shared kernel", true, map[string][]string{
			GroupCluster: {"all/node1"}, GroupCNI: {"pods/node1/a1", "pods/node2/a2"}, GroupLoad: {"pods/node2/l2"},
			"kubelet": {"node1/kubelet", "node2/kubelet"},
		}},
		// A node without load has no group of it: nothing is attributed there.
		{"own kernels", false, map[string][]string{
			GroupCluster: {"all/node1"}, GroupCNI: {"pods/node1/a1"}, "kubelet": {"node1/kubelet"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &Bench{Cluster: &cluster.Cluster{Machines: fakeMachines{shared: tt.shared}}}
			if diff := cmp.Diff(tt.want, b.groups("node1", agents, load)); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMTUOf(t *testing.T) {
	n := Netns{probe.Netns{Interfaces: []probe.Interface{
		{Name: "lo", MTU: 65536, Addresses: []string{"127.0.0.1/8"}},
		{Name: "eth0", MTU: 1450, Addresses: []string{"fe80::1/64", "10.244.1.20/22"}},
	}}}
	for address, want := range map[string]int{"10.244.1.20": 1450, "127.0.0.1": 65536, "10.244.1.2": 0, "": 0} {
		if got := n.MTUOf(address); got != want {
			t.Errorf("the MTU of %q is %d, want %d", address, got, want)
		}
	}
}

// A pair that runs the user's image is not the one that all share.
func TestPodNamesOfImages(t *testing.T) {
	plain, other := Ends{Client: InPod, Server: InPod, Placement: SameNode}, Ends{Client: InPod, Server: InPod, Placement: SameNode, Image: "a:1"}
	client, server := other.podNames()
	shared, _ := plain.podNames()
	if client == shared || !strings.HasPrefix(client, "client-pod-") || !strings.HasPrefix(server, "server-pod-same-node-") {
		t.Errorf("%s and %s beside %s", client, server, shared)
	}
}
