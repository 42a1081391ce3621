package cluster

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDNSManifest: everything is filled in, and what selects pods and what
// kubelets are told agree.
func TestDNSManifest(t *testing.T) {
	objects, err := dnsObjects("10.96.0.10", "node2", true)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*unstructured.Unstructured{}
	for _, u := range objects {
		got[u.GetKind()] = u
		text, err := u.MarshalJSON()
		if err != nil || strings.Contains(string(text), "$") {
			t.Errorf("%s is not filled in: %s, %v", u.GetKind(), text, err)
		}
	}
	for _, tt := range []struct {
		kind  string
		want  any
		where []string
	}{
		{"Service", "10.96.0.10", []string{"spec", "clusterIP"}},
		{"Service", map[string]any{"k8s-app": "kube-dns"}, []string{"spec", "selector"}},
		{"Deployment", map[string]any{"k8s-app": "kube-dns"}, []string{"spec", "template", "metadata", "labels"}},
		{"Deployment", true, []string{"spec", "template", "spec", "hostNetwork"}},
		{"Deployment", map[string]any{"kubernetes.io/hostname": "node2"}, []string{"spec", "template", "spec", "nodeSelector"}},
	} {
		value, _, err := unstructured.NestedFieldNoCopy(got[tt.kind].Object, tt.where...)
		if diff := cmp.Diff(tt.want, value); diff != "" || err != nil {
			t.Errorf("%s %s: %v\n%s", tt.kind, strings.Join(tt.where, "."), err, diff)
		}
	}
}
