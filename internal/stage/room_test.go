package stage

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A node has room for as many pods as its kubelet allows and as its pod CIDR
// has addresses, where its pods have theirs from there.
func TestRoom(t *testing.T) {
	node := func(maxPods, cidr string) corev1.Node {
		return corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "node2"}, Spec: corev1.NodeSpec{PodCIDR: cidr},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse(maxPods)}},
		}
	}
	pod := func(ip string, phase corev1.PodPhase, host bool) corev1.Pod {
		return corev1.Pod{Spec: corev1.PodSpec{HostNetwork: host}, Status: corev1.PodStatus{PodIP: ip, Phase: phase}}
	}
	there := []corev1.Pod{
		pod("10.244.4.2", corev1.PodRunning, false), pod("198.18.0.3", corev1.PodRunning, true), pod("10.244.4.9", corev1.PodFailed, false), pod("", corev1.PodPending, false),
	}
	elsewhere := []corev1.Pod{pod("10.0.7.2", corev1.PodRunning, false)}
	for _, tt := range []struct {
		name string
		node corev1.Node
		pods []corev1.Pod
		more int
		host bool
		want string // begins the reason; empty: there is room
	}{
		{"the last pod that the kubelet takes", node("110", "10.244.4.0/22"), there, 107, false, ""},
		{"one more than the kubelet takes", node("110", "10.244.4.0/22"), there, 108, false, "maxPods=110: 107 pods are free on node2, and 108 are needed; the kubelet's limit would have to be 111"},
		{"the last address", node("600", "10.244.4.0/24"), there, 252, false, ""},
		{"one more than there are addresses", node("600", "10.244.4.0/24"), there, 253, false, "podCIDR /24: 252 addresses of 10.244.4.0/24 are free on node2, and 253 are needed"},
		{"no address is needed", node("600", "10.244.4.0/24"), there, 500, true, ""},
		{"500 in a /22", node("600", "10.244.4.0/22"), there, 500, false, ""},
		{"addresses of the plugin's own", node("600", "10.244.4.0/24"), elsewhere, 500, false, ""},
		{"no pod CIDR", node("600", ""), there, 500, false, ""},
		{"nothing is known of addresses", node("600", "10.244.4.0/24"), nil, 500, false, ""},
		{"full", node("2", "10.244.4.0/24"), there, 1, false, "maxPods=2: 0 pods are free"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := roomOf(tt.node, tt.pods).Lacks(tt.more, tt.host)
			if tt.want == "" && got != "" || !strings.HasPrefix(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if got, want := roomOf(node("110", "10.244.4.0/22"), there).String(), "3 of 110 pods, 1 of 1021 addresses of 10.244.4.0/22 on node2 before"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
