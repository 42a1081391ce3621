package campaign_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
)

const head = "apiVersion: cnibench.io/v1alpha1\nkind: Campaign\nmetadata: {name: mine}\nspec:\n"

// twins makes the A/A campaign of a spec and reads it back.
func twins(t *testing.T, spec string, o campaign.Twins) (campaign.Campaign, string) {
	t.Helper()
	data, err := campaign.Twin("campaign.yaml", []byte(head+spec), o, known())
	if err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Parse("campaign.yaml", data, known())
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return c, string(data)
}

func names(c campaign.Campaign) string {
	var list []string
	for _, v := range c.Spec.Variants {
		list = append(list, v.Name+"="+v.Entry)
	}
	return strings.Join(list, " ")
}

func TestTwin(t *testing.T) {
	fresh := true
	const three = "  variants: [host, flannel-vxlan, {variant: flannel-vxlan, as: mine, namespaceLabels: {mesh: \"1\"}}]\n"
	const single = "  scenarios: [tcp-pod-single]\n"
	for _, tt := range []struct {
		name, spec string
		twins      campaign.Twins
		want       string
	}{
		{"the base", three + single, campaign.Twins{}, "host=host host-twin=host"},
		{"the base that is named", three + single + "  analysis: {base: mine}\n", campaign.Twins{}, "mine=flannel-vxlan mine-twin=flannel-vxlan"},
		{"one of the file's", three + single, campaign.Twins{Variant: "mine", FreshCluster: &fresh}, "mine=flannel-vxlan mine-twin=flannel-vxlan"},
		{"one of the catalog", "  variants: [host]\n" + single, campaign.Twins{Variant: "flannel-vxlan"}, "flannel-vxlan=flannel-vxlan flannel-vxlan-twin=flannel-vxlan"},
		{"several MTUs", "  cluster: {lab: {mtu: [1500, 9000]}}\n  variants: [host, flannel-vxlan]\n" + single, campaign.Twins{Variant: "flannel-vxlan"},
			"flannel-vxlan=flannel-vxlan flannel-vxlan-twin=flannel-vxlan"},
		{"an anchor that goes", "  variants: [{variant: host, namespaceLabels: &l {mesh: \"1\"}}, {variant: flannel-vxlan, namespaceLabels: *l}]\n" + single,
			campaign.Twins{Variant: "flannel-vxlan"}, "flannel-vxlan=flannel-vxlan flannel-vxlan-twin=flannel-vxlan"},
		{"a long name", "  variants: [{variant: host, as: " + strings.Repeat("a", 63) + "}]\n" + single, campaign.Twins{},
			strings.Repeat("a", 63) + "=host " + strings.Repeat("a", 58) + "-twin=host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, text := twins(t, tt.spec, tt.twins)
			if diff := cmp.Diff(tt.want, names(c)); diff != "" {
				t.Errorf("variants (-want +got):\n%s\n%s", diff, text)
			}
			// They are the same but for their names.
			a, b := c.Spec.Variants[0], c.Spec.Variants[1]
			b.Name = a.Name
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("the twins differ:\n%s", diff)
			}
			if c.Spec.Analysis.Base != a.Name || c.Metadata.Name != "calibrate-mine" {
				t.Errorf("base %s, name %s", c.Spec.Analysis.Base, c.Metadata.Name)
			}
		})
	}
}

// Cluster, scenarios and margins stay, unless something else is asked for.
func TestTwinKeepsWhatIsNotAsked(t *testing.T) {
	const spec = "  cluster: {lab: {nodes: 2, mtu: [1500, 9000]}}\n  variants: [host, flannel-vxlan]\n" +
		"  scenarios: [{name: tcp-pod-single, duration: 5s}]\n  blocks: 7\n  freshCluster: true\n  seed: 3\n" +
		"  analysis: {base: host-mtu9000, margins: {throughput: 4%}}\n"
	c, _ := twins(t, spec, campaign.Twins{})
	s := c.Spec
	if s.Cluster.Lab.Nodes != 2 || s.Blocks != 7 || !s.FreshCluster || s.Seed != 3 || s.Analysis.Margins["throughput"] != 0.04 || s.Cells()[0].Parameters["duration"] != "5s" {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]int{9000}, s.Cluster.Lab.MTUs); diff != "" {
		t.Errorf("MTU of the base (-want +got):\n%s", diff)
	}
	no := false
	c, _ = twins(t, spec, campaign.Twins{Blocks: 4, FreshCluster: &no, Scenarios: []string{"idle", "tcp-pod-single", "fixed"}, Duration: "2s"})
	s = c.Spec
	if s.Blocks != 4 || s.FreshCluster || len(s.Cells()) != 3 || s.Cells()[0].Parameters["duration"] != "2s" || s.Cells()[1].Parameters["duration"] != "2s" {
		t.Errorf("%+v", s)
	}
	c, text := twins(t, spec, campaign.Twins{Existing: &campaign.Existing{Kubeconfig: "my config"}, Variant: "installed"})
	if e := c.Spec.Cluster.Existing; e == nil || e.Kubeconfig != "my config" || e.AllowCNIChange || names(c) != "installed=installed installed-twin=installed" {
		t.Errorf("existing cluster: %+v, %s\n%s", e, names(c), text)
	}
}

// A target goes with the last scenario that names it.
func TestTwinDropsTargets(t *testing.T) {
	const spec = "  variants: [host]\n  targets: [{name: a, url: \"http://192.0.2.1/\"}, {name: b, url: \"http://192.0.2.2/\"}]\n" +
		"  scenarios: [{name: requests, target: [none, a, b]}, idle]\n"
	for _, tt := range []struct {
		scenarios []string
		want      int
	}{{nil, 2}, {[]string{"requests"}, 2}, {[]string{"idle"}, 0}} {
		c, text := twins(t, spec, campaign.Twins{Scenarios: tt.scenarios})
		if got := len(c.Spec.Targets); got != tt.want {
			t.Errorf("%v: %d targets, want %d\n%s", tt.scenarios, got, tt.want, text)
		}
	}
}

// What is wrong with the file is said of the file, with its lines.
func TestTwinRefuses(t *testing.T) {
	for spec, want := range map[string]string{
		"  variants: [nobody]\n  scenarios: [tcp-pod-single]\n": `campaign.yaml:5:14: unknown variant "nobody"`,
		"  variants: [host]\n": "scenarios is missing",
		"  <<: {variants: [host]}\n  scenarios: [tcp-pod-single]\n": "",
	} {
		_, err := campaign.Twin("campaign.yaml", []byte(head+spec), campaign.Twins{}, known())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", spec, err, want)
		}
	}
	// A variant that neither the file nor the catalog has is found by whoever
	// reads the campaign.
	data, err := campaign.Twin("campaign.yaml", []byte(head+"  variants: [host]\n  scenarios: [tcp-pod-single]\n"), campaign.Twins{Variant: "nobody"}, known())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := campaign.Parse("campaign.yaml", data, known()); err == nil || !strings.Contains(err.Error(), `unknown variant "nobody"`) {
		t.Errorf("error %v", err)
	}
}
