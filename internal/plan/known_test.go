package plan_test

import (
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/plan"
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
				Name: "tcp-pod-single", Metrics: metrics, Parameters: []string{"duration", "omit", "placement"},
				Duration: 10 * time.Second, Omit: 2 * time.Second, Streams: 1,
			},
			{
				Name: "tcp-service-multi", Metrics: metrics, Parameters: []string{"duration", "omit", "streams", "placement"},
				Duration: 10 * time.Second, Omit: 2 * time.Second, Streams: 8,
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
