package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Campaign is what one results directory holds.
type Campaign struct {
	Plan        plan.Plan
	Trials      []result.Trial
	Environment result.Environment
}

// CompareBetween compares two campaigns: every variant of a with the one of b
// that has the same name or that the options name, cell by cell. Values are
// independent, because blocks of different campaigns have nothing in common.
// Primary is what both campaigns declared primary, unless the options pair other
// variants than those of one name. It fails as [Analyze] does, and when the
// options name variants that are not there or nothing can be compared.
func CompareBetween(a, b Campaign, o CompareOptions) (Compared, error) {
	x, err := Analyze(a.Plan, a.Trials, a.Environment)
	if err != nil {
		return Compared{}, fmt.Errorf("first campaign: %w", err)
	}
	y, err := Analyze(b.Plan, b.Trials, b.Environment)
	if err != nil {
		return Compared{}, fmt.Errorf("second campaign: %w", err)
	}
	t := between{Compared: newCompared(x, y), a: x, b: y, margins: o.Margins}
	if err := t.match(o.Map); err != nil {
		return Compared{}, err
	}
	t.declare()
	t.compareEnvironments(a.Environment, b.Environment)
	for _, cell := range x.Cells {
		if err := t.cell(cell); err != nil {
			return Compared{}, fmt.Errorf("comparing %s: %w", cell.ID, err)
		}
	}
	for _, cell := range y.Cells {
		if !slices.ContainsFunc(x.Cells, func(c Cell) bool { return c.ID == cell.ID }) {
			t.omit(cell.ID, "", "", "only the second campaign measured it")
		}
	}
	if len(t.Cells) == 0 {
		return Compared{}, t.nothing()
	}
	if err := t.decide(); err != nil {
		return Compared{}, err
	}
	t.warn(a.Environment, b.Environment)
	return t.Compared, nil
}

// between compares two campaigns.
type between struct {
	Compared
	a, b    Analysis
	margins map[string]float64
	pairs   [][2]string // of variants of a and b, in a's order
	primary []string    // CELL/METRIC that both declared
	names   map[[2]string][]string
}

func (t *between) omit(cell, metric, variant, reason string) {
	t.Omitted = append(t.Omitted, Omission{cell, metric, variant, reason})
}

// nothing says why no cell could be compared.
func (t *between) nothing() error {
	var reasons []string
	for _, o := range t.Omitted {
		both := func(c Cell) bool { return c.ID == o.Cell }
		if slices.ContainsFunc(t.a.Cells, both) && slices.ContainsFunc(t.b.Cells, both) {
			reasons = append(reasons, o.Cell+": "+o.Reason)
		}
	}
	if len(reasons) == 0 {
		reasons = []string{"they have no cell in common"}
	}
	return &IncomparableError{"nothing in them can be compared: " + strings.Join(reasons, "; ")}
}

// IncomparableError says that two campaigns measured nothing that is the same.
type IncomparableError struct{ reason string }

func (e *IncomparableError) Error() string { return e.reason }

// Hint says what can be compared.
func (e *IncomparableError) Hint() string {
	return "cells are compared by name, and only if scenario and parameters are the same"
}

// match finds the pairs of variants.
func (t *between) match(mapping map[string]string) error {
	has := func(p plan.Plan, name string) bool {
		return slices.ContainsFunc(p.Variants, func(v plan.Variant) bool { return v.Name == name })
	}
	for _, name := range slices.Sorted(maps.Keys(mapping)) {
		if !has(t.a.Plan, name) {
			return fmt.Errorf("the first campaign has no variant %q: it has %s", name, variantNames(t.a.Plan))
		}
		if !has(t.b.Plan, mapping[name]) {
			return fmt.Errorf("the second campaign has no variant %q: it has %s", mapping[name], variantNames(t.b.Plan))
		}
	}
	matched := map[string]bool{}
	for _, v := range t.a.Plan.Variants {
		other, mapped := mapping[v.Name]
		if !mapped {
			other = v.Name
		}
		if !has(t.b.Plan, other) {
			t.omit("", "", v.Name, "only the first campaign measured it")
			continue
		}
		matched[other] = true
		if t.a.Plan.IsTwin(v.Name) || t.b.Plan.IsTwin(other) {
			t.omit("", "", v.Name, "it is an A/A twin, which claims nothing: compare it in its own campaign")
			continue
		}
		t.pairs = append(t.pairs, [2]string{v.Name, other})
	}
	for _, v := range t.b.Plan.Variants {
		switch to, mapped := mapping[v.Name]; {
		case matched[v.Name]:
		case mapped: // both measured it
			t.omit("", "", v.Name, fmt.Sprintf("no variant of the first campaign is compared with it: --map gives %s to %s", v.Name, to))
		default:
			t.omit("", "", v.Name, "only the second campaign measured it")
		}
	}
	if len(t.pairs) == 0 {
		return fmt.Errorf("the campaigns have no variant in common: the first has %s, the second %s", variantNames(t.a.Plan), variantNames(t.b.Plan))
	}
	return nil
}

func variantNames(p plan.Plan) string {
	var names []string
	for _, v := range p.Variants {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// declare finds the primary family: what both campaigns declared, for every
// pair of variants. Pairs and margins that were chosen afterwards leave none.
func (t *between) declare() {
	t.Family = 0
	for _, name := range t.a.Plan.Analysis.Primary {
		if slices.Contains(t.b.Plan.Analysis.Primary, name) {
			t.primary = append(t.primary, name)
		}
	}
	if len(t.primary) == 0 {
		t.Exploratory = "the campaigns have no primary metric in common"
		return
	}
	var reasons, changed []string
	if slices.ContainsFunc(t.pairs, func(p [2]string) bool { return p[0] != p[1] }) {
		reasons = append(reasons, "the variants were paired after the measurement")
	}
	for _, name := range slices.Sorted(maps.Keys(t.margins)) {
		if t.margins[name] != t.declaredMargin(name) {
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		reasons = append(reasons, fmt.Sprintf("the margin of %s was chosen after the measurement", strings.Join(changed, ", ")))
	}
	if len(reasons) > 0 {
		t.primary, t.Exploratory = nil, strings.Join(reasons, "; ")
		return
	}
	t.Family = len(t.primary) * len(t.pairs)
}

// declaredMargin is that of the first campaign, or not a number.
func (t *between) declaredMargin(metric string) float64 {
	for _, c := range t.a.Cells {
		for _, m := range c.Metrics {
			if m.Name == metric {
				return m.Margin
			}
		}
	}
	return math.NaN()
}

// compareEnvironments names the differences, all of them and of each pair.
func (t *between) compareEnvironments(a, b result.Environment) {
	g := guard{}
	g.environments(a, b)
	g.plans(t.a.Plan, t.b.Plan)
	t.names = map[[2]string][]string{}
	for _, pair := range t.pairs {
		own := guard{}
		own.environments(a, b)
		own.plans(t.a.Plan, t.b.Plan)
		label := pair[1]
		if pair[0] != pair[1] {
			label = pair[1] + " vs " + pair[0]
		}
		own.variants(label, a.Variants[pair[0]], b.Variants[pair[1]], pair[0] == pair[1])
		own.arms(label, variantOf(t.a.Plan, pair[0]), variantOf(t.b.Plan, pair[1]))
		for _, d := range own.list() {
			t.names[pair] = append(t.names[pair], d.Name)
			key := [3]string{d.Name, d.A, d.B}
			for _, where := range d.Places {
				if !slices.Contains(g[key], where) {
					g[key] = append(g[key], where)
				}
			}
		}
		t.names[pair] = slices.Compact(t.names[pair])
	}
	t.Differences = g.list()
}

func variantOf(p plan.Plan, name string) plan.Variant {
	for _, v := range p.Variants {
		if v.Name == name {
			return v
		}
	}
	return plan.Variant{}
}

// cell compares one cell of the first campaign, if the second has the same.
func (t *between) cell(x Cell) error {
	i := slices.IndexFunc(t.b.Cells, func(c Cell) bool { return c.ID == x.ID })
	if i < 0 {
		t.omit(x.ID, "", "", "only the first campaign measured it")
		return nil
	}
	y := t.b.Cells[i]
	if why := differentCells(x.Cell, y.Cell); why != "" {
		t.omit(x.ID, "", "", why)
		return nil
	}
	compared := newComparedCell(x)
	for _, m := range x.Metrics {
		j := slices.IndexFunc(y.Metrics, func(n Metric) bool { return n.Name == m.Name })
		if j < 0 {
			t.omit(x.ID, m.Name, "", "the second campaign has no value of it")
			continue
		}
		if why := differentMetrics(m.Metric, y.Metrics[j].Metric); why != "" {
			t.omit(x.ID, m.Name, "", why)
			continue
		}
		cm, err := t.metric(x, y, m, y.Metrics[j])
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		compared.Metrics = append(compared.Metrics, cm)
	}
	for _, m := range y.Metrics {
		if !slices.ContainsFunc(x.Metrics, func(n Metric) bool { return n.Name == m.Name }) {
			t.omit(x.ID, m.Name, "", "the first campaign has no value of it")
		}
	}
	if len(x.Metrics)+len(y.Metrics) == 0 {
		t.omit(x.ID, "", "", "no trial has a result")
	}
	t.Cells = append(t.Cells, compared)
	return nil
}

// differentCells says why two cells of one name are not the same measurement.
func differentCells(x, y plan.Cell) string {
	if x.Scenario != y.Scenario {
		return fmt.Sprintf("it is the scenario %s in one campaign and %s in the other", x.Scenario, y.Scenario)
	}
	if x.Definition != y.Definition {
		return "the files that define its scenario differ"
	}
	if s, t := x.TargetDescription(), y.TargetDescription(); s != t {
		return fmt.Sprintf("its targets differ (%s; %s)", orNone(s), orNone(t))
	}
	names := map[string]bool{}
	for name := range x.Parameters {
		names[name] = true
	}
	for name := range y.Parameters {
		names[name] = true
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if p, q := x.Parameters[name], y.Parameters[name]; p != q {
			parts = append(parts, fmt.Sprintf("%s (%s; %s)", name, orNone(p), orNone(q)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "its parameters differ: " + strings.Join(parts, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// differentMetrics says why values of two metrics of one name are not of the
// same kind. Margins may differ: they are no property of a value.
func differentMetrics(x, y result.Metric) string {
	switch {
	case x.Unit != y.Unit:
		return fmt.Sprintf("its units differ (%s; %s)", x.Unit, y.Unit)
	case x.Better != y.Better:
		return fmt.Sprintf("its directions differ (%s is better; %s is better)", x.Better, y.Better)
	case x.Scale != y.Scale:
		return fmt.Sprintf("its scales differ (%s; %s)", x.Scale, y.Scale)
	}
	return ""
}

func (c Cell) outcome(variant string) Outcome {
	i := slices.IndexFunc(c.Outcomes, func(o Outcome) bool { return o.Variant == variant })
	if i < 0 {
		return Outcome{Variant: variant}
	}
	return c.Outcomes[i]
}

func (t *between) metric(x, y Cell, m, n Metric) (ComparedMetric, error) {
	if margin, given := t.margins[m.Name]; given {
		m.Margin = margin
	} else if m.Margin != n.Margin {
		t.Warnings = append(t.Warnings, result.Warning{
			Code:    "margins-differ",
			Message: fmt.Sprintf("%s: the campaigns have different margins for %s (%v; %v): the first one's is used", x.ID, m.Name, m.Margin, n.Margin),
			Hint:    "choose one with --margin",
		})
	}
	m.Once = m.Once || n.Once
	c := ComparedMetric{
		Metric: m.Metric, Main: m.Main, Primary: slices.Contains(t.primary, x.ID+"/"+m.Name), Rows: []ComparedRow{},
	}
	for _, pair := range t.pairs {
		a, b := m.arm(pair[0]), n.arm(pair[1])
		c.Arms = append(c.Arms, newComparedArm(0, a, x.outcome(pair[0])), newComparedArm(1, b, y.outcome(pair[1])))
		row, err := compareArms(m, a, b)
		if err != nil {
			return ComparedMetric{}, err
		}
		row.Primary, row.Environment = c.Primary, t.names[pair]
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// compareArms estimates how b differs from a. The verdict is left to decide.
func compareArms(m Metric, a, b Arm) (ComparedRow, error) {
	k, err := compareUnpaired(m, a, b)
	if err != nil {
		return ComparedRow{}, err
	}
	row := ComparedRow{
		A: k.A, B: k.B, NA: k.Unpaired.A, NB: k.Unpaired.B, Effect: k.Effect, Band: k.Band, Allowance: k.Allowance, Verdict: k.Verdict, P: k.P, Open: k.Open,
	}
	switch {
	case row.NA == 0 && row.NB == 0:
		row.Open = "neither campaign has a value"
	case row.NA == 0:
		row.Open = "the first campaign has no value"
	case row.NB == 0:
		row.Open = "the second campaign has no value"
	default:
		row.Unpaired, err = secondOpinion(m.Scale, scaled(m.Scale, a.values()), scaled(m.Scale, b.values()))
	}
	return row, err
}

func secondOpinion(scale result.Scale, xs, ys []float64) (*SecondOpinion, error) {
	ranks, err := stats.MannWhitney(xs, ys)
	if err != nil {
		return nil, err
	}
	s := &SecondOpinion{U: ranks.U, Delta: ranks.Delta, RankP: ranks.TwoSided}
	welch, err := stats.WelchT(xs, ys, Confidence)
	if err != nil {
		return nil, err
	}
	if welch.Absent != "" {
		s.Absent = welch.Absent
		return s, nil
	}
	mean := effect(scale, stats.Shift{Estimate: welch.Difference, Interval: welch.Interval, Spread: math.NaN()})
	s.Mean, s.Interval, s.WelchP = &mean.Estimate, mean.Interval, finite(welch.TwoSided)
	return s, nil
}
