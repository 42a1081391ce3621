package campaign_test

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/cnibench/cnibench/internal/campaign"
)

// known is what the campaigns of these tests may name.
func known() campaign.Known {
	throughput := campaign.MetricInfo{Name: "throughput", Unit: "bit/s", Scale: "ratio"}
	retransmits := campaign.MetricInfo{Name: "retransmits", Unit: "segments", Scale: "difference"}
	memory := campaign.MetricInfo{Name: "memory", Unit: "bytes", Scale: "difference"}
	return campaign.Known{
		Variants: []campaign.VariantInfo{
			{Name: "host", None: true},
			{Name: "installed", None: true, Present: true},
			{Name: "flannel-vxlan", Aliases: []string{"flannel", "Flannel_VXLAN"}, Versions: []string{"v0.28.4"}, LabVersion: "v0.28.4", Chart: true},
			{Name: "flannel-host-gw", Versions: []string{"v0.28.4"}, Chart: true},
			{Name: "cilium-vxlan", Aliases: []string{"cilium"}, Versions: []string{"1.18.5", "1.16.18", "1.15.19"}, LabVersion: "1.15.19", Chart: true},
			{Name: "cilium-kpr", Versions: []string{"1.18.5", "1.15.19"}, LabVersion: "1.15.19", Chart: true},
			{Name: "kindnet", Versions: []string{"v1.8.5"}, Definition: "sha256:0123"},
			{Name: "aws-vpc", None: true, Excluded: "it runs on AWS only"},
		},
		ReadFile: readFile,
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

// readFile has the files that campaigns of these tests name.
func readFile(name string) ([]byte, error) {
	text, ok := map[string]string{
		"mine.yaml":   "# ours\nbpf: {masquerade: true}\nMTU: 1400\n",
		"list.yaml":   "- a\n",
		"broken.yaml": "a: 1\nb: [\nc: 2\n",
		"empty.yaml":  "# nothing yet\n",
		"two.yaml":    "a: 1\n---\nb: 2\n",
	}[name]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}
