package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestPlacement(t *testing.T) {
	cloud := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{
			"node.kubernetes.io/instance-type": "c7gn.8xlarge", "topology.kubernetes.io/zone": "eu-1a", "topology.k8s.aws/network-node-layer-3": "nn-3", "mine": "no",
		}},
		Spec: corev1.NodeSpec{ProviderID: "aws:///eu-1a/i-0123"},
		Status: corev1.NodeStatus{
			NodeInfo:    corev1.NodeSystemInfo{OSImage: "Example Linux 1", Architecture: "arm64", KubeletVersion: "v1.34.4"},
			Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("31850m")},
		},
	}
	want := Around{
		map[string]string{
			"placement.instance-type": "c7gn.8xlarge", "placement.zone": "eu-1a", "placement.network-3": "nn-3",
			"placement.provider": "aws", "placement.provider-id": "aws:///eu-1a/i-0123",
			"node.os": "Example Linux 1", "node.architecture": "arm64", "node.kubelet": "v1.34.4", "node.allocatable.cpu": "31850m",
		},
		map[string]string{
			"placement.region": "the node has no label topology.kubernetes.io/region", "node.runtime": "the node's status does not say",
		},
	}
	if diff := cmp.Diff(want, placementOf(cloud)); diff != "" {
		t.Errorf("in a cloud (-want +got):\n%s", diff)
	}
	bare := placementOf(corev1.Node{})
	if len(bare.Values) > 0 || bare.Missing["placement.provider"] == "" || bare.Missing["placement.zone"] == "" {
		t.Errorf("a node without anything: %+v", bare)
	}
}

func TestForeignOn(t *testing.T) {
	yes := true
	pod := func(namespace, name, node, kind, owner, cpu string) corev1.Pod {
		p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{}}, Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{}}}}
		if kind != "" {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: owner, Controller: &yes}}
		}
		if cpu != "" {
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("64Mi")}
		}
		return p
	}
	first, second := pod("shop", "web-7d4b9-abcde", "a", "ReplicaSet", "web-7d4b9", "250m"), pod("shop", "web-7d4b9-fghij", "a", "ReplicaSet", "web-7d4b9", "250m")
	first.Labels["pod-template-hash"], second.Labels["pod-template-hash"] = "7d4b9", "7d4b9"
	ended := pod("shop", "done", "a", "Job", "backup", "1")
	ended.Status.Phase = corev1.PodSucceeded
	pods := []corev1.Pod{
		first, second, ended, pod("shop", "alone", "a", "", "", ""), pod("logs", "x", "a", "DaemonSet", "collector", ""), pod("shop", "set-1", "a", "ReplicaSet", "set", ""),
		pod("kube-system", "coredns", "a", "ReplicaSet", "coredns", "1"), pod("kube-flannel", "agent", "a", "DaemonSet", "flannel", "1"),
		pod(Namespace, "client", "a", "", "", "1"), pod("web", "static", "a", "Node", "a", "1"), pod("shop", "elsewhere", "b", "", "", "1"),
	}
	want := map[string]string{
		"foreign.shop/Deployment web":      "2 pods, requests CPU 500m, memory 128Mi",
		"foreign.shop/Pod alone":           "1 pod without requests",
		"foreign.shop/ReplicaSet set":      "1 pod without requests",
		"foreign.logs/DaemonSet collector": "1 pod without requests",
	}
	if diff := cmp.Diff(want, foreignOn(pods, "a", []string{"kube-flannel"})); diff != "" {
		t.Errorf("foreign workloads (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"foreign": "none"}, foreignOn(pods, "c", nil)); diff != "" {
		t.Errorf("on a node of its own (-want +got):\n%s", diff)
	}
}
