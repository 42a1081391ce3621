package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// CompareWithin compares the variants of one campaign within blocks, or as
// independent samples where its blocks are none: each with the base, or all
// pairs. With a base or margins other than those that the plan
// declared, everything is exploratory. It fails as [Analyze] does.
func CompareWithin(p plan.Plan, trials []result.Trial, env result.Environment, o CompareOptions) (Compared, error) {
	if p.IsTwin(o.Base) {
		return Compared{}, fmt.Errorf("%s is the A/A twin of %s: name that one as the base", o.Base, p.Analysis.AA.Variant)
	}
	declared := p
	p, why := redeclare(p, o)
	a, err := analyzeAs(declared, p, trials, env)
	if err != nil {
		return Compared{}, err
	}
	c := newCompared(a)
	c.Paired, c.Exploratory, c.AllPairs = !p.Unpaired(), why.reason, o.AllPairs
	c.Base, c.PlannedBase = p.Analysis.Base, why.plannedBase
	c.Warnings = a.Warnings
	surroundings := newPairEnvironments(env)
	for _, cell := range a.Cells {
		compared, err := compareCell(a, cell, o.AllPairs, surroundings)
		if err != nil {
			return Compared{}, fmt.Errorf("comparing %s: %w", cell.ID, err)
		}
		if len(compared.Metrics) == 0 {
			c.Omitted = append(c.Omitted, Omission{Cell: cell.ID, Reason: "no trial has a result"})
		}
		c.Cells = append(c.Cells, compared)
	}
	c.Differences = surroundings.list()
	return c, nil
}

// declaration is what became of what the plan declared.
type declaration struct{ reason, plannedBase string }

// redeclare puts the options into a plan. What was declared before anything was
// measured is primary no more if something of it changes.
func redeclare(p plan.Plan, o CompareOptions) (plan.Plan, declaration) {
	d := declaration{plannedBase: p.Analysis.Base}
	var reasons []string
	if o.Base != "" && o.Base != p.Analysis.Base {
		reasons = append(reasons, fmt.Sprintf("the campaign declared %s as its base, not %s", p.Analysis.Base, o.Base))
		p.Analysis.Base = o.Base
	}
	margins := maps.Clone(p.Analysis.Margins)
	for _, name := range slices.Sorted(maps.Keys(o.Margins)) {
		if declared, given := p.Analysis.Margins[name]; given && declared == o.Margins[name] {
			continue
		}
		reasons = append(reasons, "the margin of "+name+" was chosen after the measurement")
		if margins == nil {
			margins = map[string]float64{}
		}
		margins[name] = o.Margins[name]
	}
	p.Analysis.Margins = margins
	if len(reasons) > 0 && len(p.Analysis.Primary) > 0 {
		d.reason = strings.Join(reasons, "; ")
		p.Analysis.Primary = nil
	}
	return p, d
}

func newCompared(campaigns ...Analysis) Compared {
	c := Compared{
		Schema: ComparedSchema, Family: campaigns[0].Family,
		Cells: []ComparedCell{}, Differences: []EnvironmentDifference{}, Omitted: []Omission{}, Warnings: []result.Warning{},
	}
	for _, a := range campaigns {
		c.Campaigns = append(c.Campaigns, ComparedCampaign{
			Name: a.Plan.Name, Plan: a.Plan.Hash, Blocks: len(a.Blocks()), Topology: a.Topology, Variants: a.Variants, Counts: a.Counts,
		})
	}
	return c
}

func newComparedCell(c Cell) ComparedCell {
	compared := ComparedCell{ID: c.ID, Scenario: c.Scenario, Metrics: []ComparedMetric{}}
	if len(c.Parameters) > 0 {
		compared.Description = c.Parameters.Description()
	}
	return compared
}

func compareCell(a Analysis, c Cell, allPairs bool, surroundings pairEnvironments) (ComparedCell, error) {
	compared := newComparedCell(c)
	reasons := lossReasons(a, c)
	for _, m := range c.Metrics {
		cm := ComparedMetric{Metric: m.Metric, Main: m.Main, Primary: m.Primary, Rows: []ComparedRow{}}
		for i, arm := range m.Arms {
			cm.Arms = append(cm.Arms, newComparedArm(0, arm, c.Outcomes[i]))
		}
		for _, k := range m.Comparisons {
			if k.AgainstBase || allPairs {
				row, err := a.newRow(m, k, reasons)
				if err != nil {
					return ComparedCell{}, fmt.Errorf("%s: %w", m.Name, err)
				}
				row.Environment = surroundings.between(k.A, k.B)
				cm.Rows = append(cm.Rows, row)
			}
		}
		if m.AA != nil {
			row, err := a.newRow(m, *m.AA, reasons)
			if err != nil {
				return ComparedCell{}, fmt.Errorf("%s: %w", m.Name, err)
			}
			cm.AA = &row
		}
		var err error
		if cm.Groups, err = a.Groups(m); err != nil {
			return ComparedCell{}, fmt.Errorf("%s: %w", m.Name, err)
		}
		cm.letter()
		compared.Metrics = append(compared.Metrics, cm)
	}
	return compared, nil
}

func newComparedArm(campaign int, arm Arm, o Outcome) ComparedArm {
	c := ComparedArm{
		Campaign: campaign, Variant: arm.Variant, Summary: arm.Summary, Absent: arm.Absent,
		Lost: o.Planned - o.OK, Partial: arm.Partial,
	}
	counts := map[string]int{}
	for _, s := range arm.Samples {
		for _, name := range s.Marks {
			counts[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c.Marks = append(c.Marks, MarkCount{name, counts[name]})
	}
	return c
}

// newRow describes a comparison that the analysis made.
func (a Analysis) newRow(m Metric, k Comparison, reasons lostValues) (ComparedRow, error) {
	row := ComparedRow{
		A: k.A, B: k.B, Primary: k.Primary, NA: len(k.Pairs), NB: len(k.Pairs), Effect: k.Effect, Band: k.Band, Allowance: k.Allowance,
		Verdict: k.Verdict, P: k.P, Adjusted: k.Adjusted, Further: k.Further, Open: k.Open,
	}
	if k.Unpaired == nil {
		row.Lacking = reasons.lacking(a.Blocks(), m, k)
		return row, nil
	}
	row.NA, row.NB = k.Unpaired.A, k.Unpaired.B
	if row.NA == 0 || row.NB == 0 {
		return row, nil
	}
	var err error
	row.Unpaired, err = secondOpinion(m.Scale, scaled(m.Scale, m.arm(k.A).values()), scaled(m.Scale, m.arm(k.B).values()))
	return row, err
}

// place is where a value would have been.
type place struct {
	block   int
	variant string
	metric  string // empty: all of the trial
}

// lostValues says why there is no value, of one cell.
type lostValues map[place]string

func lossReasons(a Analysis, c Cell) lostValues {
	reasons := lostValues{}
	for _, m := range a.Missing {
		if m.Cell == c.ID {
			reasons[place{m.Block, m.Variant, ""}] = a.WhyMissing()
		}
	}
	for _, d := range a.Dropped {
		if d.Cell == c.ID && !d.Replaced {
			reasons[place{d.Block, d.Variant, ""}] = string(d.Status) + ": " + d.Reason
		}
	}
	for _, g := range c.Gaps {
		reasons[place{g.Block, g.Variant, g.Metric}] = g.Reason
	}
	return reasons
}

// lacking lists the blocks in which exactly one side of k has a value.
func (l lostValues) lacking(blocks []plan.Block, m Metric, k Comparison) []Lack {
	a, b := blocksOf(m, k.A), blocksOf(m, k.B)
	var list []Lack
	for _, block := range blocks {
		if a[block.Index] == b[block.Index] {
			continue
		}
		side := k.A
		if a[block.Index] {
			side = k.B
		}
		reason := cmp.Or(l[place{block.Index, side, ""}], l[place{block.Index, side, m.Name}], "the trial does not have this metric")
		list = append(list, Lack{block.Index, side, reason})
	}
	return list
}

func blocksOf(m Metric, variant string) map[int]bool {
	blocks := map[int]bool{}
	for _, s := range m.arm(variant).Samples {
		blocks[s.Block] = true
	}
	return blocks
}

// arm returns a variant's values; none if it has no arm.
func (m Metric) arm(variant string) Arm {
	i := slices.IndexFunc(m.Arms, func(a Arm) bool { return a.Variant == variant })
	if i < 0 {
		return Arm{Variant: variant}
	}
	return m.Arms[i]
}

// pairEnvironments knows what differs between the clusters of two variants of
// one campaign. Each pair is compared once.
type pairEnvironments struct {
	env   result.Environment
	found guard
	names map[[2]string][]string
}

func newPairEnvironments(env result.Environment) pairEnvironments {
	return pairEnvironments{env, guard{}, map[[2]string][]string{}}
}

// between names what differs. A variant without a cluster has nothing to
// compare.
func (e pairEnvironments) between(a, b string) []string {
	pair := [2]string{a, b}
	names, known := e.names[pair]
	if known {
		return names
	}
	g := guard{}
	g.variants(b+" vs "+a, e.env.Variants[a], e.env.Variants[b], false)
	for key, places := range g {
		e.found[key] = append(e.found[key], places...)
		names = append(names, key[0])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	e.names[pair] = names
	return names
}

func (e pairEnvironments) list() []EnvironmentDifference { return e.found.list() }
