package cli

import (
	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/scenario"
)

// known is what a campaign may name: the catalog's variants and the scenarios
// of this build.
func known(catalog cni.Catalog) campaign.Known {
	k := campaign.Known{Variants: catalog.Names()}
	for _, s := range scenario.All() {
		info := campaign.ScenarioInfo{
			Name: s.Name, Parameters: s.Parameters, Duration: s.Defaults.Duration, Omit: s.Defaults.Omit,
			Streams: s.Defaults.Streams, Placement: scenario.CrossNode,
		}
		for _, m := range s.Metrics {
			info.Metrics = append(info.Metrics, campaign.MetricInfo{Name: m.Name, Unit: m.Unit, Scale: string(m.Scale)})
		}
		k.Scenarios = append(k.Scenarios, info)
	}
	return k
}
