package campaign

import (
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// The largest number of blocks: above it a campaign is a slip of the keyboard.
const maxBlocks = 1000

// specKeys are the keys of spec.
var specKeys = document.Keys{
	Valid: []string{"cluster", "tools", "variants", "scenarios", "targets", "blocks", "freshCluster", "seed", "analysis", "prometheus", "stop", "validity"},
}

func (d *decoder) spec(n *yaml.Node) Spec {
	lab := defaultLab()
	s := Spec{Cluster: Cluster{Lab: &lab}, Blocks: 10, FreshCluster: true, Seed: 1}
	fields, ok := d.Object(n, "spec", specKeys)
	if !ok {
		return s
	}
	cluster := d.clusterOrNone(fields["cluster"], &s.Cluster)
	if v := fields["tools"]; v != nil {
		d.tools(v, &s.Tools)
	}
	var there declared
	if v := d.Required(n, fields, "variants", "add variants: [host, …]; "+listVariants); v != nil {
		s.Variants, there.variants = d.variants(v, cluster)
		there.mtus = cluster.mtus()
	}
	if v := fields["targets"]; v != nil {
		d.readTargets(v)
		s.Targets = d.targets.list
	}
	if v := d.Required(n, fields, "scenarios", "add scenarios: [tcp-pod-single, …]; "+listScenarios); v != nil {
		var good bool
		if s.Scenarios, good = d.scenarios(v); good {
			there.cells = s.Cells()
			d.unusedTargets(there.cells)
		}
	}
	if v := fields["blocks"]; v != nil {
		d.Integer(v, "blocks", 1, maxBlocks, &s.Blocks)
	}
	if v := fields["stop"]; v != nil {
		d.stop(v, fields["blocks"], &s)
	}
	d.freshCluster(fields["freshCluster"], s.Cluster, &s.FreshCluster)
	if v := fields["seed"]; v != nil {
		d.Unsigned(v, "seed", &s.Seed)
	}
	if v := fields["prometheus"]; v != nil {
		s.Prometheus = d.prometheus(v, there.cells)
	}
	if v := fields["validity"]; v != nil {
		s.Validity = d.validity(v)
	}
	s.Analysis.Base = defaultBase(s.Variants)
	if v := fields["analysis"]; v != nil {
		d.analysis(v, there, &s)
	}
	return s
}

// toolsKeys are the keys of spec.tools.
var toolsKeys = document.Keys{Valid: []string{"image"}}

func (d *decoder) tools(n *yaml.Node, into *Tools) {
	fields, ok := d.Object(n, "tools", toolsKeys)
	if !ok || fields["image"] == nil {
		return
	}
	d.NonEmpty(fields["image"], "image", "write a reference such as registry.example.com/cnibench-tools:1", &into.Image)
}
