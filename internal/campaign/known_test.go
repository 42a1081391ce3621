package campaign_test

import (
	"time"

	"github.com/cnibench/cnibench/internal/campaign"
)

// known is what the campaigns of these tests may name.
func known() campaign.Known {
	throughput := campaign.MetricInfo{Name: "throughput", Unit: "bit/s", Scale: "ratio"}
	retransmits := campaign.MetricInfo{Name: "retransmits", Unit: "segments", Scale: "difference"}
	memory := campaign.MetricInfo{Name: "memory", Unit: "bytes", Scale: "difference"}
	return campaign.Known{
		Variants: []string{"host", "flannel-vxlan", "flannel-host-gw", "cilium-kpr"},
		Scenarios: []campaign.ScenarioInfo{
			{
				Name: "tcp-pod-single", Metrics: []campaign.MetricInfo{throughput, retransmits},
				Parameters: []string{"duration", "omit", "placement"},
				Duration:   10 * time.Second, Omit: 2 * time.Second, Streams: 1,
			},
			{
				Name: "tcp-service-multi", Metrics: []campaign.MetricInfo{throughput, retransmits},
				Parameters: []string{"duration", "omit", "streams", "placement"},
				Duration:   10 * time.Second, Omit: 2 * time.Second, Streams: 8,
			},
			{
				Name: "idle", Metrics: []campaign.MetricInfo{memory},
				Parameters: []string{"duration"}, Duration: time.Minute, Placement: campaign.SameNode,
			},
			{Name: "fixed", Metrics: []campaign.MetricInfo{memory}, Duration: time.Second},
		},
	}
}
