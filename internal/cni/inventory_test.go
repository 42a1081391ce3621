package cni

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// What one cnibench writes another reads.
func TestInventoryRoundTrip(t *testing.T) {
	want := Inventory{
		Schema: inventorySchema, Variant: "flannel-vxlan", Version: "v0.28.4", Digest: "sha256:1", Begun: time.Unix(1, 0).UTC(),
		Objects:   []cluster.Object{{APIVersion: "v1", Kind: "Namespace", Name: "kube-flannel"}},
		Pods:      []PodSelector{{"kube-flannel", "app=flannel"}},
		Leaves:    Leftovers{Links: []string{"flannel.*"}},
		Before:    map[string]nodestate.State{"node1": {Items: []nodestate.Item{{Kind: nodestate.Link, Name: "eth0", Detail: "device"}}}},
		NodeNames: []string{"node1"},
	}
	packed, err := packInventory(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := unpackInventory(packed)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it came back different (-want +got):\n%s", diff)
	}
}

func TestInventoryRefuses(t *testing.T) {
	future, err := packInventory(Inventory{Schema: inventorySchema + 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string][]byte{"nothing": nil, "no gzip": []byte("{}"), "cut": future[:len(future)-9], "a newer schema": future} {
		t.Run(name, func(t *testing.T) {
			if inv, err := unpackInventory(packed); err == nil {
				t.Errorf("it was read: %+v", inv)
			}
		})
	}
}

func TestSelects(t *testing.T) {
	inv := Inventory{Pods: []PodSelector{{"kube-flannel", "app=flannel,tier=node"}}}
	pod := func(namespace string, labels map[string]string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Labels: labels}}
	}
	both := map[string]string{"app": "flannel", "tier": "node", "more": "x"}
	for _, tt := range []struct {
		name string
		pod  corev1.Pod
		want bool
	}{
		{"the plugin's", pod("kube-flannel", both), true},
		{"of another namespace", pod("default", both), false},
		{"with one label", pod("kube-flannel", map[string]string{"app": "flannel"}), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inv.selects(tt.pod); got != tt.want {
				t.Errorf("selected: %t, want %t", got, tt.want)
			}
		})
	}
}

// What was there before stays, and so does what every cluster needs.
func TestKeeps(t *testing.T) {
	namespace := func(name string) cluster.Object {
		return cluster.Object{APIVersion: "v1", Kind: "Namespace", Name: name}
	}
	theirs := cluster.Object{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition", Name: "theirs.cilium.io"}
	r := remover{inv: Inventory{Existed: []cluster.Object{theirs}}}
	for _, tt := range []struct {
		object cluster.Object
		want   bool
	}{
		{theirs, true},
		{namespace("kube-system"), true},
		{namespace("default"), true},
		{namespace(cluster.Namespace), true},
		{namespace("kube-flannel"), false},
		{cluster.Object{APIVersion: "v1", Kind: "ServiceAccount", Namespace: "kube-system", Name: "default"}, false},
	} {
		t.Run(tt.object.String(), func(t *testing.T) {
			if got := r.keeps(tt.object); got != tt.want {
				t.Errorf("kept: %t, want %t", got, tt.want)
			}
		})
	}
}
