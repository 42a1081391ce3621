package cni

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

func stateOfNode(items ...nodestate.Item) nodestate.State { return nodestate.State{Items: items} }

func TestForeignConfig(t *testing.T) {
	config := func(name string) nodestate.Item { return nodestate.Item{Kind: nodestate.CNIConfig, Name: name} }
	for _, tt := range []struct {
		name   string
		states map[string]nodestate.State
		want   []string
	}{
		{"none", map[string]nodestate.State{"a": stateOfNode()}, nil},
		{"files that nobody reads", map[string]nodestate.State{"a": stateOfNode(config("10-x.conflist.bak"), config("calico-kubeconfig"))}, nil},
		{
			"two nodes", map[string]nodestate.State{"b": stateOfNode(config("10-flannel.conflist")), "a": stateOfNode(config("05-cilium.conf"), config("99.json"))},
			[]string{"a: /etc/cni/net.d/05-cilium.conf", "a: /etc/cni/net.d/99.json", "b: /etc/cni/net.d/10-flannel.conflist"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *ForeignConfigError
			if err := foreignConfig(tt.states); errors.As(err, &got) != (tt.want != nil) {
				t.Fatalf("error %v, want files %v", err, tt.want)
			}
			if got != nil {
				if diff := cmp.Diff(tt.want, got.Files); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestMissingBinaries(t *testing.T) {
	states := map[string]nodestate.State{
		"a": stateOfNode(nodestate.Item{Kind: nodestate.CNIBinary, Name: "bridge"}, nodestate.Item{Kind: nodestate.CNIBinary, Name: "portmap"}),
		"b": stateOfNode(nodestate.Item{Kind: nodestate.CNIBinary, Name: "portmap"}),
	}
	var got *MissingBinariesError
	if err := missingBinaries(states, []string{"bridge", "portmap"}); !errors.As(err, &got) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff([]string{"b: /opt/cni/bin/bridge"}, got.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := missingBinaries(states, []string{"portmap"}); err != nil {
		t.Errorf("all nodes have it, and still: %v", err)
	}
}

// Of a Node object only what the plugin is known to write is taken away, and
// never what was there before or is Kubernetes' own.
func TestLeftoversOfNode(t *testing.T) {
	node := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Annotations: map[string]string{"flannel.alpha.coreos.com/public-ip": "", "mine.example/x": "", "node.alpha.kubernetes.io/ttl": ""},
			Labels:      map[string]string{"kubernetes.io/os": "linux", "kube-ovn/role": "master", "kept": "before"},
		},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{
			{Key: "node.cilium.io/agent-not-ready", Effect: "NoSchedule"}, {Key: "node.kubernetes.io/not-ready", Effect: "NoSchedule"},
		}},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeNetworkUnavailable, Reason: "FlannelIsUp"}}},
	}
	l := Leftovers{Annotations: []string{"flannel.alpha.coreos.com/*"}, NodeLabels: []string{"kube-ovn/*", "kept"}, Taints: []string{"node.cilium.io/*"}}
	before := stateOfNode(nodestate.Item{Kind: nodestate.Label, Name: "kept"})
	want := []nodestate.Item{
		{Kind: nodestate.Annotation, Name: "flannel.alpha.coreos.com/public-ip"},
		{Kind: nodestate.Label, Name: "kube-ovn/role"},
		{Kind: nodestate.Taint, Name: "node.cilium.io/agent-not-ready", Detail: "NoSchedule"},
		{Kind: nodestate.APICondition, Name: "NetworkUnavailable", Detail: "FlannelIsUp"},
	}
	if diff := cmp.Diff(want, leftoversOf(node, before, l)); diff != "" {
		t.Errorf("to take away (-want +got):\n%s", diff)
	}
}

func TestNodeLacks(t *testing.T) {
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionTrue}
	wanted := Ready{Annotations: []string{"a"}, NoTaints: []string{"node.cilium.io/*"}}
	node := func(annotations map[string]string, taint string, conditions ...corev1.NodeCondition) corev1.Node {
		n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}, Status: corev1.NodeStatus{Conditions: conditions}}
		if taint != "" {
			n.Spec.Taints = []corev1.Taint{{Key: taint}}
		}
		return n
	}
	has := map[string]string{"a": ""}
	for _, tt := range []struct {
		name string
		node corev1.Node
		want string
	}{
		{"complete", node(has, "node.kubernetes.io/disk-pressure", ready), ""},
		{"without annotation", node(nil, "", ready), "has no annotation a"},
		{"tainted", node(has, "node.cilium.io/agent-not-ready", ready), "has the taint node.cilium.io/agent-not-ready"},
		{"not ready", node(has, "", corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Message: "no plugin"}), "is not ready: no plugin"},
		{"new", node(has, ""), "has no status yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := nodeLacks(tt.node, wanted); got != tt.want {
				t.Errorf("it %q, want %q", got, tt.want)
			}
		})
	}
}
