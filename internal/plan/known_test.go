package plan_test

import (
	"testing"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
)

// The parameters of these tests' scenarios.
var (
	duration  = parameter.Parameter{Name: "duration", Kind: parameter.Duration, Default: []string{"10s"}, Min: "1s", Max: "1h", Step: "1s"}
	omit      = parameter.Parameter{Name: "omit", Kind: parameter.Duration, Default: []string{"2s"}, Min: "0s", Max: "1m", Step: "1s"}
	streams   = parameter.Parameter{Name: "streams", Kind: parameter.Integer, Default: []string{"8"}, Min: "1", Max: "128"}
	placement = parameter.Parameter{
		Name: parameter.Placement, Kind: parameter.Choice, Default: []string{parameter.CrossNode}, Choices: []string{parameter.CrossNode, parameter.SameNode},
	}
)

// known is what the campaigns of these tests may name.
func known() campaign.Known {
	metrics := []campaign.MetricInfo{{Name: "throughput", Unit: "bit/s", Scale: "ratio"}, {Name: "retransmits", Unit: "segments", Scale: "difference"}}
	return campaign.Known{
		Variants: []campaign.VariantInfo{
			{Name: "host", None: true},
			{Name: "installed", None: true, Present: true},
			{Name: "flannel-vxlan", Versions: []string{"v0.28.4"}, Chart: true},
			{Name: "flannel-host-gw", Versions: []string{"v0.28.4"}, Chart: true},
			{Name: "cilium-vxlan", Aliases: []string{"cilium"}, Versions: []string{"1.16.18", "1.15.19"}, LabVersion: "1.15.19", Chart: true},
			{Name: "cilium-kpr", Versions: []string{"1.15.19"}, Chart: true},
		},
		ReadFile: func(string) ([]byte, error) { return []byte("MTU: 1400\n"), nil },
		Scenarios: []campaign.ScenarioInfo{
			{
				Name: "tcp-pod-single", Metrics: metrics, Parameters: []parameter.Parameter{duration, omit, placement},
			},
			{
				Name: "tcp-service-multi", Metrics: metrics, Parameters: []parameter.Parameter{duration, omit, streams, placement},
			},
		},
	}
}

// expand makes the plan of a campaign file.
func expand(t *testing.T, data []byte) plan.Plan {
	t.Helper()
	c, err := campaign.Parse("campaign.yaml", data, known())
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Expand(c, known())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// document is a campaign file whose spec is given, indented by two blanks.
func document(spec string) []byte {
	return []byte("apiVersion: cnibench.io/v1alpha1\nkind: Campaign\nmetadata: {name: example}\nspec:\n" + spec)
}
