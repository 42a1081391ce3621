package campaign

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// analysisKeys are the keys of spec.analysis.
var analysisKeys = document.Keys{
	Valid: []string{"base", "primary", "margins", "aa"},
}

// declared is what spec.analysis may refer to. A list with a problem of its
// own is nil, so that one slip is not reported twice.
type declared struct {
	variants []string
	cells    []Cell
	mtus     []int // that make several arms of a variant
}

// arm finds the arm that a name means: itself, or with several MTUs the
// variant's with the first.
func (there declared) arm(name string) (string, bool) {
	if !slices.Contains(there.variants, name) && len(there.mtus) > 1 {
		name = withMTU(name, there.mtus[0])
	}
	return name, slices.Contains(there.variants, name)
}

func (d *decoder) analysis(n *yaml.Node, there declared, s *Spec) {
	a := &s.Analysis
	fields, ok := d.Object(n, "analysis", analysisKeys)
	if !ok {
		return
	}
	if v := fields["base"]; v != nil {
		d.base(v, there, &a.Base)
	}
	if v := fields["primary"]; v != nil {
		a.Primary = d.primary(v, there.cells)
	}
	if v := fields["margins"]; v != nil {
		a.Margins = d.margins(v, there.cells)
	}
	if v := fields["aa"]; v != nil {
		d.twin(v, there, s)
	}
}

// base reads the name of an arm.
func (d *decoder) base(n *yaml.Node, there declared, into *string) {
	if !d.Text(n, "base", into) || there.variants == nil {
		return
	}
	if arm, ok := there.arm(*into); ok {
		*into = arm
		return
	}
	d.Report(n, fmt.Sprintf("base %s is not among the variants", document.Describe(n)),
		document.DidYouMean(*into, there.variants, "the variants are "+strings.Join(there.variants, ", ")))
}

func (d *decoder) primary(n *yaml.Node, cells []Cell) []string {
	const hint = "write a list such as [tcp-pod-single/throughput], or remove it for the first metric of every cell"
	elements, ok := d.List(n, "primary", hint)
	if !ok {
		return nil
	}
	var primary []string
	for _, e := range elements {
		var name string
		if !d.Text(e, "primary", &name) {
			continue
		}
		cell, metric, ok := strings.Cut(name, "/")
		switch {
		case !ok:
			d.Report(e, fmt.Sprintf("primary %s is not CELL/METRIC", document.Describe(e)), "write it as tcp-pod-single/throughput")
		case slices.Contains(primary, name):
			d.Report(e, "primary has "+document.Describe(e)+" twice", "remove one of the two")
		case cells == nil || d.isMetricOf(e, cell, metric, cells):
			primary = append(primary, name)
		}
	}
	return primary
}

// isMetricOf reports a cell that is not in the campaign and a metric that the
// cell's scenario does not measure.
func (d *decoder) isMetricOf(n *yaml.Node, id, metric string, cells []Cell) bool {
	i := slices.IndexFunc(cells, func(c Cell) bool { return c.ID == id })
	if i < 0 {
		d.Report(n, fmt.Sprintf("primary %s names no cell of this campaign", document.Describe(n)), cellHint(id, cells))
		return false
	}
	info, _ := d.known.Scenario(cells[i].Scenario)
	metrics := info.metricNames()
	if !slices.Contains(metrics, metric) {
		d.Report(n, fmt.Sprintf("%s measures no %q", id, metric),
			document.DidYouMean(metric, metrics, "it measures "+strings.Join(metrics, ", ")))
		return false
	}
	return true
}

func cellHint(id string, cells []Cell) string {
	var ids, ofScenario []string
	for _, c := range cells {
		ids = append(ids, c.ID)
		if c.Scenario == id {
			ofScenario = append(ofScenario, c.ID)
		}
	}
	if len(ofScenario) > 0 {
		return "its cells are " + strings.Join(ofScenario, ", ")
	}
	return document.DidYouMean(id, ids, "the cells are "+strings.Join(ids, ", "))
}

func (d *decoder) margins(n *yaml.Node, cells []Cell) map[string]float64 {
	if n.Kind != yaml.MappingNode {
		d.Report(n, "margins must be a mapping, not "+document.Describe(n), "write margins: {throughput: 3%}")
		return nil
	}
	measured := d.measured(cells)
	margins := map[string]float64{}
	for _, p := range d.Pairs(n) {
		name := p.Key.Value
		i := slices.IndexFunc(measured, func(m MetricInfo) bool { return m.Name == name })
		if i < 0 {
			if cells != nil {
				names := ScenarioInfo{Metrics: measured}.metricNames()
				d.Report(p.Key, fmt.Sprintf("no scenario of this campaign measures %q", name),
					document.DidYouMean(name, names, "they measure "+strings.Join(names, ", ")))
			}
			continue
		}
		var margin float64
		if d.margin(p.Value, measured[i], &margin) {
			margins[name] = margin
		}
	}
	if len(margins) == 0 {
		return nil
	}
	return margins
}

func (d *decoder) margin(n *yaml.Node, m MetricInfo, into *float64) bool {
	key := "the margin of " + m.Name
	if m.Scale == "difference" {
		return d.Amount(n, key, m.Unit, into)
	}
	return d.Percentage(n, key, into)
}

// measured lists the metrics of the campaign's scenarios, each once.
func (d *decoder) measured(cells []Cell) []MetricInfo {
	var metrics []MetricInfo
	seen := map[string]bool{}
	for _, c := range cells {
		info, _ := d.known.Scenario(c.Scenario)
		for _, m := range info.Metrics {
			if !seen[m.Name] {
				seen[m.Name] = true
				metrics = append(metrics, m)
			}
		}
	}
	return metrics
}
