package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

func TestFeatures(t *testing.T) {
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	variants := []plan.Variant{{Name: "a", Entry: "host"}, {Name: "b", Entry: "flannel-vxlan", Version: "v0.28.4"}}
	for name, tt := range map[string]struct {
		cells []plan.Cell
		want  []string
	}{
		"nothing": {nil, nil},
		"bulk":    {[]plan.Cell{{Scenario: "idle"}, {Scenario: "tcp-pod-single", Parameters: parameter.Values{"path": "cluster-ip"}}}, nil},
		"a name":  {[]plan.Cell{{Scenario: "tcp-pod-single", Parameters: parameter.Values{"path": "headless"}}}, []string{supply.DNS}},
		"http":    {[]plan.Cell{{Scenario: "http", Parameters: parameter.Values{"path": "pod-ip"}}}, []string{supply.K6}},
		"tunnels": {[]plan.Cell{
			{Scenario: "control-plane-tunnel", Parameters: parameter.Values{"tunnel": "konnectivity"}},
			{Scenario: "control-plane-tunnel", Parameters: parameter.Values{"tunnel": "openvpn"}},
		}, []string{supply.OpenVPN, supply.Konnectivity}},
		"no tunnel": {[]plan.Cell{{Scenario: "control-plane-tunnel", Parameters: parameter.Values{"tunnel": "direct"}}}, nil},
		"upgrade": {[]plan.Cell{{Scenario: "disruption", Parameters: parameter.Values{"event": "upgrade", "to": supply.FlannelUpgradeVersion}}},
			[]string{supply.FlannelUpgrade}},
		"another version": {[]plan.Cell{{Scenario: "disruption", Parameters: parameter.Values{"event": "upgrade", "to": "9.9.9"}}}, nil},
		"same":            {[]plan.Cell{{Scenario: "disruption", Parameters: parameter.Values{"event": "upgrade", "to": "same"}}}, nil},
		"both":            {[]plan.Cell{{Scenario: "idle"}, {Scenario: "http", Parameters: parameter.Values{"path": "service-name"}}}, []string{supply.DNS, supply.K6}},
	} {
		got, err := Features(plan.Plan{Cells: tt.cells, Variants: variants}, scenario.Set{}, catalog)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	if _, err := Features(plan.Plan{Cells: []plan.Cell{{Scenario: "none"}}}, scenario.Set{}, catalog); err == nil {
		t.Error("an unknown scenario was accepted")
	}
}

// The part is asked for where a variant becomes its version, in whatever way
// that is written.
func TestUpgradesFlannel(t *testing.T) {
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	host, flannel := plan.Variant{Name: "a", Entry: "host"}, plan.Variant{Name: "b", Entry: "flannel-host-gw", Version: "v0.28.4"}
	cilium := plan.Variant{Name: "c", Entry: "cilium-vxlan"}
	for _, tt := range []struct {
		name     string
		to       string
		variants []plan.Variant
		want     bool
	}{
		{"as the catalog has it", supply.FlannelUpgradeVersion, []plan.Variant{host, flannel}, true},
		{"without v", strings.TrimPrefix(supply.FlannelUpgradeVersion, "v"), []plan.Variant{cilium, flannel}, true},
		{"another version", "v0.28.4", []plan.Variant{flannel}, false},
		{"no such version", "v9.9.9", []plan.Variant{flannel}, false},
		{"no Flannel", supply.FlannelUpgradeVersion, []plan.Variant{host, cilium}, false},
	} {
		got, err := upgradesFlannel(tt.variants, catalog, tt.to)
		if got != tt.want || err != nil {
			t.Errorf("%s: %t: %v", tt.name, got, err)
		}
	}
	if _, err := upgradesFlannel([]plan.Variant{{Entry: "removed"}}, catalog, "v1.0.0"); err == nil {
		t.Error("an unknown entry was accepted")
	}
}
