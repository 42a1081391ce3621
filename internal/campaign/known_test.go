package campaign_test

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
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
			{Name: "cilium-kpr", Versions: []string{"1.18.5", "1.15.19"}, LabVersion: "1.15.19", Chart: true, CarriesServices: true},
			{Name: "kindnet", Versions: []string{"v1.8.5"}, Definition: "sha256:0123"},
			{Name: "aws-vpc", None: true, Excluded: "it runs on AWS only"},
		},
		ReadFile:         readFile,
		CheckPodTemplate: checkPodTemplate,
		Scenarios: []campaign.ScenarioInfo{
			{
				Name: "tcp-pod-single", Metrics: []campaign.MetricInfo{throughput, retransmits},
				Parameters: []parameter.Parameter{duration, omit, placement},
			},
			{
				Name: "tcp-service-multi", Metrics: []campaign.MetricInfo{throughput, retransmits},
				Aliases: []string{"stm"}, Parameters: []parameter.Parameter{duration, omit, streams, placement},
			},
			{
				Name: "idle", Metrics: []campaign.MetricInfo{memory},
				Parameters: []parameter.Parameter{duration},
			},
			{
				Name: "requests", Metrics: []campaign.MetricInfo{memory}, TargetParameter: "target",
				Parameters: []parameter.Parameter{duration, {Name: "target", Kind: parameter.Text, Default: []string{campaign.NoTarget}}},
			},
			{Name: "fixed", Metrics: []campaign.MetricInfo{memory}},
		},
	}
}

// checkPodTemplate refuses one field.
func checkPodTemplate(overlay map[string]any) error {
	spec, _ := overlay["spec"].(map[string]any)
	if _, has := spec["nodeName"]; has {
		return errors.New("spec.nodeName is cnibench's to decide")
	}
	return nil
}

// readFile has the files that campaigns of these tests name.
func readFile(name string) ([]byte, error) {
	text, ok := map[string]string{
		"mine.yaml":   "# ours\nbpf: {masquerade: true}\nMTU: 1400\n",
		"list.yaml":   "- a\n",
		"broken.yaml": "a: 1\nb: [\nc: 2\n",
		"empty.yaml":  "# nothing yet\n",
		"two.yaml":    "a: 1\n---\nb: 2\n",
		"pinned.yaml": "spec: {nodeName: node1}\n",
		"mesh.yaml":   "metadata: {annotations: {inject: 'true'}}\n",
	}[name]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}
