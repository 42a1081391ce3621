package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/parameter"
)

// sweep is the cells of one scenario that differ in one parameter alone, which
// is a quantity.
type sweep struct {
	scenario, parameter string
	setting             string          // of the parameters in which sweeps of the scenario differ
	cells               []analysis.Cell // by the parameter
	values              []float64
	labels              []string
	// keys are those of the values behind a cell, metric and variant, where
	// figures have them instead of titles; nil: titles.
	keys func(cell, metric, variant string) string
}

const (
	// fewestSteps of a parameter make a curve: two are told by strips.
	fewestSteps = 3
	// sweptMetrics is how many metrics of a sweep are drawn, unless the plan
	// declares more of them primary. All are in the numbers.
	sweptMetrics = 4
	// sweptLabels is how many steps are labelled on a phone.
	sweptLabels = 6
)

// sweeps finds the sweeps of a campaign, in the order of its cells.
func sweeps(a analysis.Analysis) []sweep {
	var list []sweep
	var scenarios []string
	byScenario := map[string][]analysis.Cell{}
	for _, c := range a.Cells {
		if byScenario[c.Scenario] == nil {
			scenarios = append(scenarios, c.Scenario)
		}
		byScenario[c.Scenario] = append(byScenario[c.Scenario], c)
	}
	for _, scenario := range scenarios {
		cells := byScenario[scenario]
		varying := varyingParameters(cells)
		for _, name := range varying {
			list = append(list, sweepsOver(scenario, name, cells, varying)...)
		}
	}
	if crowded(a) && sampleCount(a) <= valueCount {
		for i := range list {
			list[i].keys = keysOf(a)
		}
	}
	return list
}

// keysOf finds the keys of values in the page by names; the key of what the page
// has no values of is empty.
func keysOf(a analysis.Analysis) func(cell, metric, variant string) string {
	keys := map[[3]string]string{}
	for i, c := range a.Cells {
		for j, m := range shownMetrics(c) {
			for k, arm := range m.Arms {
				keys[[3]string{c.ID, m.Name, arm.Variant}] = dataKey(i, j, k)
			}
		}
	}
	return func(cell, metric, variant string) string { return keys[[3]string{cell, metric, variant}] }
}

// varyingParameters are those that have more than one value, sorted.
func varyingParameters(cells []analysis.Cell) []string {
	values := map[string]map[string]bool{}
	for _, c := range cells {
		for name, text := range c.Parameters {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][text] = true
		}
	}
	maps.DeleteFunc(values, func(_ string, texts map[string]bool) bool { return len(texts) < 2 })
	return slices.Sorted(maps.Keys(values))
}

// sweepsOver makes one sweep for each setting of the other parameters.
func sweepsOver(scenario, name string, cells []analysis.Cell, varying []string) []sweep {
	var settings []string
	groups := map[string][]analysis.Cell{}
	for _, c := range cells {
		var parts []string
		for _, other := range varying {
			if other != name {
				parts = append(parts, other+" "+c.Parameters[other])
			}
		}
		setting := strings.Join(parts, ", ")
		if groups[setting] == nil {
			settings = append(settings, setting)
		}
		groups[setting] = append(groups[setting], c)
	}
	var list []sweep
	for _, setting := range settings {
		if s, ok := newSweep(sweep{scenario: scenario, parameter: name, setting: setting}, groups[setting]); ok {
			list = append(list, s)
		}
	}
	return list
}

// newSweep puts the cells in the order of the parameter.
func newSweep(s sweep, cells []analysis.Cell) (sweep, bool) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.Parameters[s.parameter]
	}
	values, ok := parameter.Quantities(texts)
	if !ok || len(cells) < fewestSteps {
		return s, false
	}
	order := make([]int, len(cells))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	for _, i := range order {
		if n := len(s.values); n > 0 && s.values[n-1] == values[i] {
			return s, false // the same cell twice: something else differs
		}
		s.cells, s.values, s.labels = append(s.cells, cells[i]), append(s.values, values[i]), append(s.labels, texts[i])
	}
	return s, true
}

// title names a metric of the sweep.
func (s sweep) title(metric string) string {
	title := metric + " over " + s.parameter
	if s.setting != "" {
		title += ", " + s.setting
	}
	return title
}

// metrics names what is drawn of a sweep: what is main or primary in one of its
// cells, and the first others.
func (s sweep) metrics() []string {
	var main, others []string
	for _, c := range s.cells {
		for _, m := range c.Metrics {
			switch {
			case slices.Contains(main, m.Name):
			case m.Main || m.Primary:
				main = append(main, m.Name)
			case !m.Folded() && !slices.Contains(others, m.Name):
				others = append(others, m.Name)
			}
		}
	}
	others = slices.DeleteFunc(others, func(name string) bool { return slices.Contains(main, name) })
	for _, name := range others {
		if len(main) < sweptMetrics {
			main = append(main, name)
		}
	}
	return main
}

// draw draws one metric over the parameter: every block a dot.
func (s sweep) draw(a analysis.Analysis, name, id string) figure.Drawing {
	all := analysis.Metric{}
	var missing []string
	for i, c := range s.cells {
		m, ok := metricOf(c, name)
		if !ok {
			missing = append(missing, s.labels[i])
			continue
		}
		all.Metric = m.Metric
		all.Arms = append(all.Arms, m.Arms...)
	}
	show := measureOf(all)
	ax := figure.NewWideAxis(shownValues(all, show))
	curves := figure.Curves{
		ID: id, Title: s.title(name), Note: fmt.Sprintf("%s is better. Dots are blocks, the line joins their medians, the band their 95 %% intervals.", capital(string(all.Better))),
		X: figure.NewSteppedAxis(s.values, s.labels, sweptLabels), XLabel: s.parameter,
		Y: ax, YLabel: axisLabel(ax, show.unit),
	}
	if curves.X.Logarithmic() {
		curves.XLabel += ", logarithmic"
	}
	if len(missing) > 0 {
		curves.Note += " No trial has it at " + s.parameter + " " + strings.Join(missing, ", ") + "."
	}
	for _, v := range a.Plan.Variants {
		line := s.line(v.Name, name, show)
		line.Words = s.words(line, show)
		curves.Lines = append(curves.Lines, line)
	}
	curves.Description = fmt.Sprintf("Medians over blocks of %s in %s, by %s.", name, show.unit, s.parameter)
	return curves.Draw()
}

func (s sweep) line(variant, metric string, show measure) figure.Line {
	line := figure.Line{Name: variant}
	for i, c := range s.cells {
		p := figure.CurvePoint{X: s.values[i], Y: math.NaN(), Low: math.NaN(), High: math.NaN()}
		m, _ := metricOf(c, metric)
		for _, arm := range m.Arms {
			if arm.Variant != variant || arm.Summary == nil {
				continue
			}
			for _, sample := range arm.Samples {
				line.Dots = append(line.Dots, figure.XY{X: s.values[i], Y: sample.Value / show.divisor})
			}
			p.Y = arm.Summary.Median / show.divisor
			if iv := arm.Summary.Interval; iv != nil {
				p.Low, p.High = iv.Low/show.divisor, iv.High/show.divisor
			}
			if s.keys != nil {
				p.Key = s.keys(c.ID, metric, variant)
			}
			p.Title = fmt.Sprintf("%s, %s %s: %s, %s", variant, s.parameter, s.labels[i], show.with(arm.Summary.Median), intervalDetail(show, *arm.Summary))
		}
		line.Points = append(line.Points, p)
	}
	return line
}

func (s sweep) words(line figure.Line, show measure) string {
	var parts []string
	for i, p := range line.Points {
		if !math.IsNaN(p.Y) {
			parts = append(parts, fmt.Sprintf("%s at %s", show.number(p.Y*show.divisor), s.labels[i]))
		}
	}
	return strings.Join(parts, ", ")
}
