package profile

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
)

// Decision is a matrix to decide by: what was read of each variant, with source
// and date, beside what was measured, with its interval.
type Decision struct {
	Columns []Column      `json:"columns"`
	Rows    []DecisionRow `json:"rows"` // in the plan's order, without the A/A twin
}

// Column is a figure of the matrix.
type Column struct {
	Name   string `json:"name"` // "p99", "throughput", "CPU", "memory", "cost" …
	Cell   string `json:"cell,omitempty"`
	Metric string `json:"metric,omitempty"`
	Unit   string `json:"unit,omitempty"`
	Better string `json:"better,omitempty"`
	Note   string `json:"note,omitempty"` // what it is made of, where it is no metric
	// Money says that the figures are amounts of money, in Unit.
	Money bool `json:"money,omitempty"`
	// Missing says why no variant has it, and how to get it; empty: some do.
	Missing string `json:"missing,omitempty"`
}

// DecisionRow is one variant.
type DecisionRow struct {
	Variant   string `json:"variant"`
	Title     string `json:"title"`
	Baseline  bool   `json:"baseline,omitempty"`
	DataPlane Fact   `json:"dataPlane,omitzero"`
	Policy    Fact   `json:"policy,omitzero"`
	Kernel    Fact   `json:"kernel,omitzero"`
	Effort    Fact   `json:"effort,omitzero"`
	// Figures are those of the columns, in their order.
	Figures []Figure `json:"figures"`
}

// Figure is the median over the blocks with its order-statistic interval.
type Figure struct {
	N     int      `json:"n"`
	Value *float64 `json:"value,omitempty"` // nil: Missing says why
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	// Missing says why there is no value.
	Missing string `json:"missing,omitempty"`
}

// Costs are figures that package cost has computed, by variant.
type Costs struct {
	Unit    string
	Note    string // whose prices, and what is not in the sum
	Figures map[string]Figure
}

// anyScenario in a pattern matches every cell.
const anyScenario = ""

// wanted are the figures of the matrix, each with what can stand for it, best
// first.
var wanted = []struct {
	name, hint string
	of         []Pattern
}{
	{"p99", "measure latency-under-load, http or tcp-rr", []Pattern{
		{"latency-under-load", "latency-p99", []Condition{{"load", "=", []string{"0.8"}}}},
		{"latency-under-load", "latency-p99", []Condition{{"load", ">", []string{"0"}}}},
		{"http", "latency-p99", nil}, {"tcp-rr", "latency-p99", nil}, {"udp-rr", "latency-p99", nil}, {"ping", "latency-p99", nil},
		{anyScenario, "latency-p99", nil},
	}},
	{"throughput", "measure tcp-pod-multi", bulkPatterns("throughput")},
	{"CPU", "measure tcp-pod-multi", append(bulkPatterns("cpu-per-gbit"), bulkPatterns("cpu")...)},
	{"memory", "measure cni-resources", []Pattern{
		{"cni-resources", "cni-memory", []Condition{{"load", "=", []string{"tcp-pod-multi"}}}},
		{"cni-resources", "cni-memory", nil}, {"idle", "cni-memory", nil},
		{"tcp-pod-multi", "cni-memory", nil}, {anyScenario, "cni-memory", nil}, {anyScenario, "memory", nil},
	}},
}

// bulkPatterns are of a metric that bulk load has; dtm and its like are the
// names that the benchmark of 2024 gives the same tests.
func bulkPatterns(metric string) []Pattern {
	across := []Condition{{"placement", "=", []string{"cross-node"}}}
	return []Pattern{
		{"tcp-pod-multi", metric, across}, {"tcp-pod-multi", metric, nil}, {"dtm", metric, nil},
		{"tcp-service-multi", metric, nil}, {"stm", metric, nil}, {"tcp-pod-single", metric, across}, {"tcp-pod-single", metric, nil},
		{"dts", metric, nil}, {anyScenario, metric, nil},
	}
}

// Decide makes the matrix of a campaign. Costs are left out where they are nil.
func Decide(a analysis.Analysis, traits []Traits, costs *Costs) Decision {
	var variants []string
	d := Decision{Columns: []Column{}, Rows: []DecisionRow{}}
	for _, v := range a.Variants {
		if a.Plan.IsTwin(v.Name) {
			continue
		}
		variants = append(variants, v.Name)
		t := traitsOf(traits, v.Name)
		d.Rows = append(d.Rows, DecisionRow{
			Variant: v.Name, Title: v.Title(), Baseline: t.Baseline,
			DataPlane: t.DataPlane, Policy: t.Policy, Kernel: t.Kernel, Effort: t.Effort, Figures: []Figure{},
		})
	}
	for _, w := range wanted {
		d.add(a, variants, w.name, w.hint, w.of)
	}
	if footprint := (Pattern{Scenario: "install-footprint", Metric: "objects"}); footprint.first(a, variants) != nil {
		d.add(a, variants, "objects", "", []Pattern{footprint})
	}
	d.addCosts(costs)
	return d
}

// add fills a column from the first cell that can stand for it.
func (d *Decision) add(a analysis.Analysis, variants []string, name, hint string, of []Pattern) {
	column := Column{Name: name, Missing: "not measured: " + hint}
	var found *located
	for _, p := range of {
		if found = p.first(a, variants); found != nil {
			m := found.metric
			column = Column{Name: name, Cell: found.cell.ID, Metric: m.Name, Unit: m.Unit, Better: string(m.Better)}
			break
		}
	}
	d.Columns = append(d.Columns, column)
	for i := range d.Rows {
		figure := Figure{Missing: column.Missing}
		if found != nil {
			figure = found.figure(a, d.Rows[i].Variant)
		}
		d.Rows[i].Figures = append(d.Rows[i].Figures, figure)
	}
}

// first is the first cell of the plan that matches and has a value.
func (p Pattern) first(a analysis.Analysis, variants []string) *located {
	for _, c := range a.Cells {
		q := p
		if p.Scenario == anyScenario {
			q.Scenario = c.Scenario
		}
		if found, _ := q.find(a, variants); len(found) > 0 {
			return &found[0]
		}
		if p.Scenario != anyScenario {
			return nil
		}
	}
	return nil
}

func (l located) figure(a analysis.Analysis, variant string) Figure {
	i := slices.IndexFunc(l.metric.Arms, func(arm analysis.Arm) bool { return arm.Variant == variant })
	if i < 0 || l.metric.Arms[i].Summary == nil {
		return Figure{Missing: whyNone(a, l, variant)}
	}
	s := l.metric.Arms[i].Summary
	f := Figure{N: s.N, Value: &s.Median}
	if s.Interval != nil {
		f.Low, f.High = &s.Interval.Low, &s.Interval.High
	}
	return f
}

func (d *Decision) addCosts(costs *Costs) {
	if costs == nil {
		return
	}
	d.Columns = append(d.Columns, Column{Name: "cost", Unit: costs.Unit, Better: "lower", Note: costs.Note, Money: true})
	for i, row := range d.Rows {
		figure, ok := costs.Figures[row.Variant]
		if !ok {
			figure = Figure{Missing: fmt.Sprintf("no cost was computed for %s", row.Variant)}
		}
		d.Rows[i].Figures = append(d.Rows[i].Figures, figure)
	}
}
