package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/campaign"
)

// maxTrials bounds a plan. A million trials of a second are twelve days.
const maxTrials = 1_000_000

// Expand makes the plan of a campaign: its cells, its blocks in their orders,
// its primary family and its hash. It fails when there is nothing to measure,
// when there would be more than a million trials, and when known lacks a
// scenario whose first metric the default family needs.
func Expand(c campaign.Campaign, known campaign.Known) (Plan, error) {
	s := c.Spec
	cells := s.Cells()
	if len(s.Variants) == 0 || len(cells) == 0 || s.Blocks < 1 {
		return Plan{}, fmt.Errorf("campaign %q measures nothing: %d variants, %d cells, %d blocks",
			c.Metadata.Name, len(s.Variants), len(cells), s.Blocks)
	}
	if trials := len(s.Variants) * len(cells) * s.Blocks; trials > maxTrials {
		return Plan{}, fmt.Errorf("campaign %q makes %d trials, more than %d: give it fewer blocks, variants or cells",
			c.Metadata.Name, trials, maxTrials)
	}
	p := Plan{
		Schema: SchemaVersion, Name: c.Metadata.Name, Seed: s.Seed, FreshCluster: s.FreshCluster,
		Cluster: expandCluster(s.Cluster), Tools: Tools(s.Tools),
		Analysis: Analysis{
			Base: s.Analysis.Base, Primary: slices.Clone(s.Analysis.Primary), Margins: maps.Clone(s.Analysis.Margins),
		},
	}
	if s.Stop != nil {
		p.Stop = &Stop{Looks: slices.Clone(s.Stop.Looks), HalfWidth: s.Stop.HalfWidth}
	}
	if s.Analysis.AA != nil {
		twin := Twin(*s.Analysis.AA)
		p.Analysis.AA = &twin
	}
	if s.Prometheus != nil {
		p.Prometheus = expandPrometheus(*s.Prometheus)
	}
	if s.Validity != nil {
		rules := Validity(*s.Validity)
		p.Validity = &rules
	}
	for _, v := range s.Variants {
		p.Variants = append(p.Variants, Variant(v))
	}
	for _, cell := range cells {
		p.Cells = append(p.Cells, expandCell(cell))
	}
	p.Blocks = expandBlocks(p, s.Blocks)
	if len(p.Analysis.Primary) == 0 {
		primary, err := defaultPrimary(p.Cells, known)
		if err != nil {
			return Plan{}, err
		}
		p.Analysis.Primary = primary
	}
	return Seal(p)
}

func expandCluster(c campaign.Cluster) Cluster {
	switch {
	case c.Existing != nil:
		e := c.Existing
		existing := Existing{
			Kubeconfig: e.Kubeconfig, Context: e.Context, AllowCNIChange: e.AllowCNIChange, AllowForeign: e.AllowForeign, Nodes: Nodes(e.Nodes), Outside: Outside(e.Outside),
		}
		if e.Peer != nil {
			existing.Peer = &Peer{e.Peer.Kubeconfig, e.Peer.Context, Nodes(e.Peer.Nodes)}
		}
		return Cluster{Existing: &existing}
	case c.Command != nil:
		o := c.Command
		return Cluster{Command: &Command{o.Up, o.Down, o.Kubeconfig, Nodes(o.Nodes), Outside(o.Outside)}}
	}
	l := c.Lab
	lab := Lab{Nodes: l.Nodes, KubeProxy: l.KubeProxy, MaxPods: l.MaxPods, Peer: l.Peer}
	if l.IPFamily != "ipv4" { // which goes without saying
		lab.IPFamily = l.IPFamily
	}
	if len(l.MTUs) == 1 {
		lab.MTU = l.MTUs[0]
	}
	return Cluster{Lab: &lab}
}

func expandPrometheus(c campaign.Prometheus) *Prometheus {
	p := &Prometheus{
		URL: c.URL, Wait: int(c.Wait.Seconds()), Token: Secret(c.Token), Username: c.Username, Password: Secret(c.Password),
	}
	for _, q := range c.Queries {
		p.Queries = append(p.Queries, PrometheusQuery(q))
	}
	return p
}

func expandBlocks(p Plan, n int) []Block {
	var variants, cells []string
	for _, v := range p.Variants {
		variants = append(variants, v.Name)
	}
	for _, c := range p.Cells {
		cells = append(cells, c.ID)
	}
	// Two generators: one more cell must not change the order of variants.
	ofVariants := balancedOrders(variants, n, newGenerator(p.Seed, "variants"))
	ofCells := balancedOrders(cells, n, newGenerator(p.Seed, "cells"))
	blocks := make([]Block, n)
	for i := range blocks {
		blocks[i] = Block{Index: i + 1, Order: ofVariants[i], Cells: ofCells[i]}
	}
	return blocks
}

// defaultPrimary takes the first metric of every cell's scenario.
func defaultPrimary(cells []Cell, known campaign.Known) ([]string, error) {
	primary := make([]string, len(cells))
	for i, c := range cells {
		info, _ := known.Scenario(c.Scenario)
		if len(info.Metrics) == 0 {
			return nil, fmt.Errorf("choosing the primary metric of %s: scenario %q declares none", c.ID, c.Scenario)
		}
		primary[i] = c.ID + "/" + info.Metrics[0].Name
	}
	return primary, nil
}
