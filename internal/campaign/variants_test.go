package campaign_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
)

func TestVariantsAreNamedAndPinned(t *testing.T) {
	values := map[string]any{"bpf": map[string]any{"masquerade": true}, "MTU": 1400.0}
	for _, tt := range []struct {
		name, cluster, variants string
		want                    []campaign.Variant
	}{
		{
			"a lab has versions of its own", "{lab: {}}", "[cilium-kpr, flannel-host-gw]",
			[]campaign.Variant{
				{Name: "cilium-kpr", Entry: "cilium-kpr", Version: "1.15.19"},
				{Name: "flannel-host-gw", Entry: "flannel-host-gw", Version: "v0.28.4"},
			},
		},
		{
			"elsewhere it is the first", "{existing: {allowCNIChange: true}}", "[cilium-kpr]",
			[]campaign.Variant{{Name: "cilium-kpr", Entry: "cilium-kpr", Version: "1.18.5"}},
		},
		{
			"an alias is a name", "{lab: {}}", "[cilium, cilium-kpr]",
			[]campaign.Variant{
				{Name: "cilium", Entry: "cilium-vxlan", Version: "1.15.19"},
				{Name: "cilium-kpr", Entry: "cilium-kpr", Version: "1.15.19"},
			},
		},
		{
			"unless it is no label", "{lab: {}}", "[Flannel_VXLAN]",
			[]campaign.Variant{{Name: "flannel-vxlan", Entry: "flannel-vxlan", Version: "v0.28.4"}},
		},
		{
			"one version", "{lab: {}}", "[cilium@1.16.18, {variant: flannel, version: 0.28.4}]",
			[]campaign.Variant{
				{Name: "cilium", Entry: "cilium-vxlan", Version: "1.16.18"},
				{Name: "flannel", Entry: "flannel-vxlan", Version: "v0.28.4"},
			},
		},
		{
			"two versions", "{lab: {}}", "[cilium, cilium@1.16.18, {variant: cilium@v1.16.18, as: twin}]",
			[]campaign.Variant{
				{Name: "cilium-1-15-19", Entry: "cilium-vxlan", Version: "1.15.19"},
				{Name: "cilium-1-16-18", Entry: "cilium-vxlan", Version: "1.16.18"},
				{Name: "twin", Entry: "cilium-vxlan", Version: "1.16.18"},
			},
		},
		{
			"values", "{lab: {}}", "[cilium, {variant: cilium, as: mine, values: mine.yaml}, {variant: cilium, as: plain, values: {}}]",
			[]campaign.Variant{
				{Name: "cilium", Entry: "cilium-vxlan", Version: "1.15.19"},
				{Name: "mine", Entry: "cilium-vxlan", Version: "1.15.19", Values: values},
				{Name: "plain", Entry: "cilium-vxlan", Version: "1.15.19"},
			},
		},
		{
			"every variant with every MTU", "{lab: {mtu: [9000, 1500]}}", "[flannel, host]",
			[]campaign.Variant{
				{Name: "flannel-mtu9000", Entry: "flannel-vxlan", Version: "v0.28.4", MTU: 9000},
				{Name: "flannel-mtu1500", Entry: "flannel-vxlan", Version: "v0.28.4", MTU: 1500},
				{Name: "host-mtu9000", Entry: "host", MTU: 9000},
				{Name: "host-mtu1500", Entry: "host", MTU: 1500},
			},
		},
		{
			"a list of one MTU is one MTU", "{lab: {mtu: [9000]}}", "[host]",
			[]campaign.Variant{{Name: "host", Entry: "host"}},
		},
		{
			"two ways to carry Services", "{lab: {}}", "[flannel, {variant: flannel, as: flannel-nftables, kubeProxy: nftables}]",
			[]campaign.Variant{
				{Name: "flannel", Entry: "flannel-vxlan", Version: "v0.28.4"},
				{Name: "flannel-nftables", Entry: "flannel-vxlan", Version: "v0.28.4", KubeProxy: "nftables"},
			},
		},
		{
			"overlays make a mesh a dimension", "{lab: {}}",
			"[flannel, {variant: flannel, as: sidecars, podTemplate: mesh.yaml}, {variant: flannel, as: ambient, namespaceLabels: {istio.io/dataplane-mode: ambient}}, " +
				"{variant: flannel, as: plain, podTemplate: {}, namespaceLabels: {}}]",
			[]campaign.Variant{
				{Name: "flannel", Entry: "flannel-vxlan", Version: "v0.28.4"},
				{
					Name: "sidecars", Entry: "flannel-vxlan", Version: "v0.28.4",
					PodTemplate: map[string]any{"metadata": map[string]any{"annotations": map[string]any{"inject": "true"}}},
				},
				{
					Name: "ambient", Entry: "flannel-vxlan", Version: "v0.28.4",
					NamespaceLabels: map[string]string{"istio.io/dataplane-mode": "ambient"},
				},
				{Name: "plain", Entry: "flannel-vxlan", Version: "v0.28.4"},
			},
		},
		{
			"an entry of the user's", "{lab: {}}", "[kindnet]",
			[]campaign.Variant{{Name: "kindnet", Entry: "kindnet", Version: "v1.8.5", Definition: "sha256:0123"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, "  cluster: "+tt.cluster+"\n  variants: "+tt.variants+"\n  scenarios: [idle]\n")
			if diff := cmp.Diff(tt.want, got.Spec.Variants); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClusters(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		want          campaign.Cluster
		fresh         bool
	}{
		{"none is a lab", "{}", campaign.Cluster{Lab: &campaign.Lab{Nodes: 3, MTUs: []int{1500}, KubeProxy: "iptables", MaxPods: 110}}, true},
		{"existing", "{existing: {}}", campaign.Cluster{Existing: &campaign.Existing{}}, false},
		{
			"existing with everything",
			"{existing: {kubeconfig: ~/kc, context: c, allowCNIChange: true, allowForeign: true, nodes: {server: a, client: b, controlPlane: true, all: true}, outside: {address: 192.0.2.7, command: ssh a}}}",
			campaign.Cluster{Existing: &campaign.Existing{
				Kubeconfig: "~/kc", Context: "c", AllowCNIChange: true, AllowForeign: true,
				Nodes: campaign.Nodes{Server: "a", Client: "b", ControlPlane: true, All: true}, Outside: campaign.Outside{Address: "192.0.2.7", Command: "ssh a"},
			}}, false,
		},
		{
			"command", "{command: {up: ./up, down: ./down, kubeconfig: kc, nodes: {selector: pool=bench}, outside: {address: a, command: b}}}",
			campaign.Cluster{Command: &campaign.Command{Up: "./up", Down: "./down", Kubeconfig: "kc", Nodes: campaign.Nodes{Selector: "pool=bench"}, Outside: campaign.Outside{Address: "a", Command: "b"}}}, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := "  cluster: " + tt.cluster + "\n  variants: [host]\n  scenarios: [idle]\n"
			got := parse(t, spec).Spec
			if diff := cmp.Diff(tt.want, got.Cluster); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.FreshCluster != tt.fresh {
				t.Errorf("freshCluster is %t", got.FreshCluster)
			}
			if err := resolveSchema(t)(document(spec)); err != nil {
				t.Errorf("the schema refuses it: %v", err)
			}
		})
	}
}

// Without a way to read files a campaign cannot name any.
func TestValuesFileWithoutReader(t *testing.T) {
	k := known()
	k.ReadFile = nil
	_, err := campaign.Parse("campaign.yaml", document("  variants: [{variant: cilium, values: mine.yaml}]\n  scenarios: [idle]\n"), k)
	want := campaign.Problems{{
		File: "campaign.yaml", Line: 5, Column: 40,
		Message: "values: files cannot be read here", Hint: "write the values themselves: values: {KEY: VALUE}",
	}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
