package cli

import (
	"slices"
	"testing"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/profile"
	"github.com/cnibench/cnibench/internal/scenario"
)

// The names of cells that the benchmark of 2024 has, which an import keeps.
var importedScenarios = []string{"dts", "dtm", "sts", "stm"}

// Every profile weighs metrics that scenarios have, and its campaign measures
// all that can be measured, in enough blocks.
func TestProfilesAreMeasured(t *testing.T) {
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	may, err := known(catalog, nil, scenario.Set{})
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		t.Run(p.Name, func(t *testing.T) {
			for _, m := range p.Weights {
				for _, of := range m.Of {
					if !slices.Contains(importedScenarios, of.Scenario) {
						checkPattern(t, of)
					}
				}
			}
			if len(p.Campaign) == 0 {
				if p.Measurable() >= p.Least {
					t.Error("it can be measured, and has no campaign")
				}
				return
			}
			data, err := p.CampaignFile()
			if err != nil {
				t.Fatal(err)
			}
			c, err := campaign.Parse(p.Name, data, may)
			if err != nil {
				t.Fatal(err)
			}
			expanded, err := plan.Expand(c, may)
			if err != nil {
				t.Fatal(err)
			}
			if share, lacking := p.Planned(expanded); share < p.Measurable()-1e-9 {
				t.Errorf("its campaign does not measure %v", lacking)
			}
			if warnings := plan.Warnings(expanded); len(warnings) > 0 {
				t.Errorf("its campaign: %v", warnings)
			}
			checkPrimary(t, expanded)
		})
	}
}

// checkPrimary makes sure that primary metrics are reported.
func checkPrimary(t *testing.T, p plan.Plan) {
	t.Helper()
	for _, name := range p.Analysis.Primary {
		found := false
		for _, c := range p.Cells {
			s, err := scenario.Find(c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range s.Metrics {
				found = found || c.ID+"/"+m.Name == name
			}
		}
		if !found {
			t.Errorf("primary metric %s is of no cell", name)
		}
	}
}

func checkPattern(t *testing.T, p profile.Pattern) {
	t.Helper()
	s, err := scenario.Find(p.Scenario)
	if err != nil {
		t.Error(err)
		return
	}
	metric := false
	for _, m := range s.Metrics {
		metric = metric || m.Name == p.Metric
	}
	if !metric {
		t.Errorf("%s: the scenario has no such metric", p)
	}
	for _, c := range p.Where {
		parameter := false
		for _, q := range s.Parameters {
			parameter = parameter || q.Name == c.Parameter
		}
		if !parameter {
			t.Errorf("%s: the scenario has no parameter %s", p, c.Parameter)
		}
	}
}

// What the catalog says of variants becomes facts with a source.
func TestTraits(t *testing.T) {
	catalog, err := cni.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		feature string
		want    profile.State
	}{
		{"flannel-vxlan", "encryption", profile.Unmet}, {"flannel-wireguard", "encryption", profile.Met},
		{"cilium-wireguard", "encryption", profile.Met}, {"flannel-vxlan", "network-policy", profile.Unmet},
		{"cilium-kpr", "kube-proxy-replacement", profile.Met}, {"cilium-vxlan", "kube-proxy-replacement", profile.Unmet},
		{"cilium-vxlan", "l7-policy", profile.Met}, {"cilium-lean", "l7-policy", profile.Unmet},
		{"flannel-vxlan", "cli", profile.Unmet}, {"cilium-vxlan", "cli", profile.Met},
		{"cilium-ipsec", "key-rotation", profile.Unknown}, {"flannel-vxlan", "arm64", profile.Met}, {"canal", "arm64", ""},
	} {
		e, err := catalog.Entry(c.name, cni.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		traits := traitsOfEntry(e)
		f := traits.Features[c.feature]
		if f.State != c.want {
			t.Errorf("%s, %s: %q, want %q", c.name, c.feature, f.State, c.want)
		}
		if f.State != "" && (f.Source == "" || f.Value == "") {
			t.Errorf("%s, %s: no source: %+v", c.name, c.feature, f)
		}
		if traits.DataPlane.Value == "" || traits.Effort.Value == "" || traits.Baseline {
			t.Errorf("%s: %+v", c.name, traits)
		}
	}
	host, err := catalog.Entry("host", cni.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	if !traitsOfEntry(host).Baseline {
		t.Error("host is a plugin to choose")
	}
}
