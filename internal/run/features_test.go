package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/scenario"
)

func TestFeatures(t *testing.T) {
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
		"same": {[]plan.Cell{{Scenario: "disruption", Parameters: parameter.Values{"event": "upgrade", "to": "same"}}}, nil},
		"both": {[]plan.Cell{{Scenario: "idle"}, {Scenario: "http", Parameters: parameter.Values{"path": "service-name"}}}, []string{supply.DNS, supply.K6}},
	} {
		got, err := Features(plan.Plan{Cells: tt.cells}, scenario.Set{})
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	if _, err := Features(plan.Plan{Cells: []plan.Cell{{Scenario: "none"}}}, scenario.Set{}); err == nil {
		t.Error("an unknown scenario was accepted")
	}
}
