package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// machine is a node that is ready, unless it says otherwise.
func machine(name, message string, labels ...string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, l := range labels {
		if n.Labels == nil {
			n.Labels = map[string]string{}
		}
		key, value, _ := strings.Cut(l, "=")
		n.Labels[key] = value
	}
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Message: "kubelet is posting ready status"}
	if message != "" {
		ready.Status, ready.Message = corev1.ConditionFalse, message
	}
	n.Status.Conditions = []corev1.NodeCondition{ready}
	return n
}

const (
	noPlugin     = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"
	controlPlane = "node-role.kubernetes.io/control-plane="
)

func TestChooseNodes(t *testing.T) {
	four := []corev1.Node{machine("c", "", "zone=a"), machine("a", "", controlPlane), machine("d", "", "zone=a"), machine("b", "")}
	cordoned := machine("a", "")
	cordoned.Spec.Unschedulable = true
	tainted := machine("a", "")
	tainted.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}}
	for _, tt := range []struct {
		name    string
		rule    NodeRule
		nodes   []corev1.Node
		install bool
		want    string // names, or part of the error
	}{
		{"the first two that are no control plane", NodeRule{}, four, false, "b c"},
		{"control plane too", NodeRule{ControlPlane: true}, four, false, "a b"},
		{"by name", NodeRule{Server: "b", Client: "d"}, four, false, "d b"},
		{"the server by name", NodeRule{Server: "b"}, four, false, "c b"},
		{"by label", NodeRule{Selector: "zone=a"}, four, false, "c d"},
		{"unlabelled nodes do not match, and do no harm", NodeRule{Selector: "zone in (a, b)"}, four, false, "c d"},
		{"all", NodeRule{All: true}, four, false, "b c d"},
		{"all, with the first ones by name", NodeRule{All: true, Client: "d", Server: "c"}, four, false, "d c b"},
		{"all of a label", NodeRule{All: true, Selector: "zone=a"}, four, false, "c d"},
		{"one node only", NodeRule{}, four[:1], false, "c"},
		{"a control plane without a label, by its taint", NodeRule{}, []corev1.Node{tainted, machine("b", "")}, false, "b"},
		{"cordoned", NodeRule{}, []corev1.Node{cordoned, machine("b", "")}, false, "b"},
		{"without a plugin, which is to be installed", NodeRule{}, []corev1.Node{machine("a", noPlugin), machine("b", noPlugin)}, true, "a b"},
		{"without a plugin", NodeRule{}, []corev1.Node{machine("a", noPlugin)}, false, "a is not ready: container runtime network not ready"},
		{"out of order in another way", NodeRule{}, []corev1.Node{machine("a", "kubelet stopped posting")}, true, "a is not ready: kubelet stopped posting"},
		{"an unknown name", NodeRule{Server: "z"}, four, false, "the cluster has no node z, it has a, b, c, d"},
		{"a control plane by name", NodeRule{Client: "a"}, four, false, "say controlPlane: true"},
		{"a cordoned node by name", NodeRule{Client: "a"}, []corev1.Node{cordoned, machine("b", "")}, false, "a cannot be used: a is cordoned"},
		{"twice the same", NodeRule{Client: "b", Server: "b"}, four, false, "client and server are both b"},
		{"nothing that matches", NodeRule{Selector: "zone=z"}, four, false, "b does not match zone=z"},
		{"a broken selector", NodeRule{Selector: "zone in"}, four, false, `selector "zone in"`},
		{"no nodes", NodeRule{}, nil, false, "none can be used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.rule.choose(tt.nodes, tt.install)
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) || !strings.Contains(tt.want, " ") {
					t.Errorf("error %q, want %q", err, tt.want)
				}
				return
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("chosen: %v, want %s", got, tt.want)
			}
		})
	}
}

func TestAgentNodes(t *testing.T) {
	all := []corev1.Node{machine("a", ""), machine("b", ""), machine("c", "")}
	if diff := cmp.Diff([]string{"c", "a"}, agentNodes([]string{"c", "a"}, all, false)); diff != "" {
		t.Errorf("nodes with an agent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c", "a", "b"}, agentNodes([]string{"c", "a"}, all, true)); diff != "" {
		t.Errorf("nodes with an agent where plugins are changed (-want +got):\n%s", diff)
	}
}

func TestForeign(t *testing.T) {
	pod := func(namespace, name, node, owner string, phase corev1.PodPhase) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: corev1.PodSpec{NodeName: node}, Status: corev1.PodStatus{Phase: phase}}
		if owner != "" {
			yes := true
			p.OwnerReferences = []metav1.OwnerReference{{Kind: owner, Controller: &yes}}
		}
		return p
	}
	pods := []corev1.Pod{
		pod("shop", "web", "a", "ReplicaSet", corev1.PodRunning),
		pod("shop", "new", "b", "", corev1.PodPending),
		pod("shop", "elsewhere", "c", "", corev1.PodRunning),
		pod("shop", "done", "a", "Job", corev1.PodSucceeded),
		pod("logs", "collector", "a", "DaemonSet", corev1.PodRunning),
		pod("shop", "static", "a", "Node", corev1.PodRunning),
		pod("kube-system", "coredns", "a", "ReplicaSet", corev1.PodRunning),
		pod("calico-system", "typha", "a", "ReplicaSet", corev1.PodRunning),
		pod(Namespace, "client", "a", "", corev1.PodRunning),
	}
	want := []string{"shop/new on b", "shop/web on a"}
	if diff := cmp.Diff(want, foreign(pods, []string{"a", "b"}, []string{"calico-system"})); diff != "" {
		t.Errorf("foreign pods (-want +got):\n%s", diff)
	}
}
