package campaign

import "go.yaml.in/yaml/v3"

// The largest number of blocks: above it a campaign is a slip of the keyboard.
const maxBlocks = 1000

// specKeys are the keys of spec.
var specKeys = keys{
	valid: []string{"cluster", "variants", "scenarios", "blocks", "freshCluster", "seed", "analysis"},
	later: map[string]string{"stop": "remove it and set the number of blocks"},
}

func (d *decoder) spec(n *yaml.Node) Spec {
	lab := defaultLab()
	s := Spec{Cluster: Cluster{Lab: &lab}, Blocks: 10, FreshCluster: true, Seed: 1}
	fields, ok := d.object(n, "spec", specKeys)
	if !ok {
		return s
	}
	if v := fields["cluster"]; v != nil {
		d.cluster(v, &s.Cluster)
	}
	var there declared
	if v := d.required(n, fields, "variants", "add variants: [host, …]; "+listVariants); v != nil {
		s.Variants, there.variants = d.variants(v)
	}
	if v := d.required(n, fields, "scenarios", "add scenarios: [tcp-pod-single, …]; "+listScenarios); v != nil {
		var good bool
		if s.Scenarios, good = d.scenarios(v); good {
			there.cells = s.Cells()
		}
	}
	if v := fields["blocks"]; v != nil {
		d.integer(v, "blocks", 1, maxBlocks, &s.Blocks)
	}
	if v := fields["freshCluster"]; v != nil {
		d.boolean(v, "freshCluster", &s.FreshCluster)
	}
	if v := fields["seed"]; v != nil {
		d.unsigned(v, "seed", &s.Seed)
	}
	d.nodesForPlacement(fields["cluster"], s)
	s.Analysis.Base = defaultBase(s.Variants)
	if v := fields["analysis"]; v != nil {
		d.analysis(v, there, &s.Analysis)
	}
	return s
}
