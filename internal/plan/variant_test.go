package plan_test

import (
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
)

func TestDescription(t *testing.T) {
	for _, tt := range []struct {
		variant plan.Variant
		want    string
	}{
		{plan.Variant{Name: "host", Entry: "host"}, "host"},
		{plan.Variant{Name: "cilium-kpr", Entry: "cilium-kpr", Version: "1.15.19"}, "cilium-kpr 1.15.19"},
		{
			// printf '{"MTU":1400}' | sha256sum
			plan.Variant{Name: "ours", Entry: "cilium-kpr", Version: "1.15.19", Values: map[string]any{"MTU": 1400.0}},
			"ours = cilium-kpr 1.15.19, values sha256:fce66c77c96b",
		},
		{plan.Variant{Name: "host-mtu9000", Entry: "host", MTU: 9000}, "host-mtu9000 = host, MTU 9000"},
		{plan.Variant{Name: "nft", Entry: "flannel-vxlan", KubeProxy: "nftables"}, "nft = flannel-vxlan, kube-proxy nftables"},
		{
			// printf '{"metadata":{}}' | sha256sum
			plan.Variant{
				Name: "mesh", Entry: "flannel-vxlan", PodTemplate: map[string]any{"metadata": map[string]any{}},
				NamespaceLabels: map[string]string{"b": "2", "a": "1"},
			},
			"mesh = flannel-vxlan, pod template sha256:8b05318da148, namespace with a=1 b=2",
		},
		{plan.Variant{Name: "bridge", Entry: "bridge", Definition: "sha256:0123"}, "bridge, from a catalog of the user's"},
	} {
		if got := tt.variant.Description(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// Upgrade or not, my values or the default: each is another plan.
func TestHashDependsOnVersionAndValues(t *testing.T) {
	seen := map[string]string{}
	for _, variant := range []string{
		"cilium", "cilium-vxlan", "cilium@1.16.18", "{variant: cilium, values: {MTU: 1400}}", "{variant: cilium, values: {MTU: 1401}}",
		"{variant: cilium, podTemplate: {metadata: {labels: {a: b}}}}", "{variant: cilium, podTemplate: {metadata: {labels: {a: c}}}}",
		"{variant: cilium, namespaceLabels: {a: b}}", "{variant: cilium, namespaceLabels: {a: c}}",
		"{variant: cilium, kubeProxy: nftables}", "{variant: cilium, kubeProxy: none}",
	} {
		p := expand(t, document("  variants: [host, "+variant+"]\n  scenarios: [tcp-pod-single]\n"))
		if first, again := seen[p.Hash]; again {
			t.Errorf("%s and %s have one hash", first, variant)
		}
		seen[p.Hash] = variant
	}
	inline := expand(t, document("  variants: [{variant: cilium, values: {MTU: 1400}}]\n  scenarios: [tcp-pod-single]\n"))
	file := expand(t, document("  variants: [{variant: cilium, values: values.yaml}]\n  scenarios: [tcp-pod-single]\n"))
	if inline.Hash != file.Hash {
		t.Error("the same values, inline and in a file, have two hashes")
	}
}

// Directories that earlier versions wrote can be resumed: what a plan did not
// have then is not in its hash.
func TestOldPlansKeepTheirHash(t *testing.T) {
	p, err := plan.Seal(plan.Plan{
		Schema: plan.SchemaVersion, Name: "old",
		Cluster:  plan.Cluster{Lab: &plan.Lab{Nodes: 2}},
		Variants: []plan.Variant{{Name: "host", Entry: "host"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "sha256:fff461137674f8eab48deedc3e16ab74f36b113c5aa848afb5e1de998164e57e"
	if p.Hash != want {
		t.Errorf("hash %s, want %s", p.Hash, want)
	}
}
