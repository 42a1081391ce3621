package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// allPairsUpTo is the number of variants up to which a heat map has all pairs;
// beyond it, those with the base.
const allPairsUpTo = 4

// heatMap is a drawn heat map with what its colours mean.
type heatMap struct {
	figure.HeatDrawing
	Keys []heatKey
}

// heatKey explains one kind of cell.
type heatKey struct {
	Class string
	Hatch bool
	Name  string
}

// heatScale says how deep the colour of an effect is.
type heatScale struct {
	steps [3]float64 // of the effect, as analysis has it
	text  effectText
	known bool // by the margin
}

// newHeatScale goes by the metric's margin, or, where there is none, by the
// largest effect.
func newHeatScale(m analysis.Metric) heatScale {
	h := heatScale{text: newEffectText(m), known: m.Margin > 0}
	unit := m.Margin
	if !h.known {
		for _, c := range m.Comparisons {
			if c.Effect != nil {
				unit = max(unit, math.Abs(c.Effect.Estimate)/30)
			}
		}
	}
	h.steps = [3]float64{unit, 3 * unit, 10 * unit}
	return h
}

func (h heatScale) depth(effect float64) int {
	depth := 0
	for _, s := range h.steps {
		if math.Abs(effect) > s {
			depth++
		}
	}
	return depth
}

// step writes a step with its unit.
func (h heatScale) step(i int) string {
	x := h.steps[i] * h.text.factor
	return prose.Fixed(x, marginDecimals(x)) + " " + h.text.unit
}

// newHeatMap has a row per pair and setting, and a column per value. It reports
// false where no two variants have values.
func newHeatMap(a analysis.Analysis, group []sweep, name, id string) (heatMap, bool) {
	columns, labels := columnsOf(group)
	var all analysis.Metric
	for _, s := range group {
		for _, c := range s.cells {
			if m, ok := metricOf(c, name); ok {
				all.Metric = m.Metric
				all.Comparisons = append(all.Comparisons, m.Comparisons...)
			}
		}
	}
	if len(all.Comparisons) == 0 {
		return heatMap{}, false
	}
	scale := newHeatScale(all)
	good := "+"
	if all.Better == result.Lower {
		good = "−"
	}
	h := figure.HeatMap{
		ID: id, Title: fmt.Sprintf("change of %s over %s, in %s", name, group[0].parameter, scale.text.unit),
		Note:    fmt.Sprintf("Each cell is the change from the second variant to the first of its row; %s is better. Bold: shown to be more than the margin. Intervals and verdicts are in a cell's tip and under All pairs.", good),
		Columns: labels, ColumnLabel: group[0].parameter,
	}
	if h.Rows = heatRows(a, group, name, columns, scale); !slices.ContainsFunc(h.Rows, func(r figure.HeatRow) bool { return len(r.Cells) > 0 }) {
		return heatMap{}, false
	}
	h.Description = fmt.Sprintf("Change of %s in %s. %s", name, scale.text.unit, heatWords(h))
	return heatMap{HeatDrawing: h.Draw(), Keys: heatKeys(scale, all)}, true
}

// columnsOf are the values of all sweeps of a group, sorted.
func columnsOf(group []sweep) (values []float64, labels []string) {
	type column struct {
		value float64
		label string
	}
	var list []column
	for _, s := range group {
		for i, v := range s.values {
			if !slices.ContainsFunc(list, func(c column) bool { return c.value == v }) {
				list = append(list, column{v, s.labels[i]})
			}
		}
	}
	slices.SortFunc(list, func(x, y column) int { return cmp.Compare(x.value, y.value) })
	for _, c := range list {
		values, labels = append(values, c.value), append(labels, c.label)
	}
	return values, labels
}

// heatRows has a heading per setting and a row per pair.
func heatRows(a analysis.Analysis, group []sweep, name string, columns []float64, scale heatScale) []figure.HeatRow {
	var rows []figure.HeatRow
	for _, s := range group {
		if s.setting != "" {
			rows = append(rows, figure.HeatRow{Name: s.setting})
		}
		for _, pair := range pairsOf(a, s, name) {
			row := figure.HeatRow{Name: pair[1] + " − " + pair[0]}
			for _, v := range columns {
				row.Cells = append(row.Cells, heatCell(s, name, pair, v, scale))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// pairsOf lists the pairs of which some cell of a sweep has values: those with
// the base where there are many variants, unless the base has none.
func pairsOf(a analysis.Analysis, s sweep, name string) [][2]string {
	var order [][2]string
	measured, withBase := map[[2]string]bool{}, map[[2]string]bool{}
	for _, c := range s.cells {
		m, _ := metricOf(c, name)
		for _, k := range m.Comparisons {
			pair := [2]string{k.A, k.B}
			if !slices.Contains(order, pair) {
				order = append(order, pair)
			}
			if k.Effect != nil {
				measured[pair] = true
				if k.AgainstBase {
					withBase[pair] = true
				}
			}
		}
	}
	chosen := withBase
	if len(a.Plan.Variants) <= allPairsUpTo || len(withBase) == 0 {
		chosen = measured
	}
	return slices.DeleteFunc(order, func(pair [2]string) bool { return !chosen[pair] })
}

func heatCell(s sweep, name string, pair [2]string, value float64, scale heatScale) figure.HeatCell {
	what := fmt.Sprintf("%s vs %s", pair[1], pair[0])
	i := slices.Index(s.values, value)
	if i < 0 {
		return figure.HeatCell{Title: what + ": not in the plan"}
	}
	what += fmt.Sprintf(" at %s %s", s.parameter, s.labels[i])
	m, _ := metricOf(s.cells[i], name)
	for _, k := range m.Comparisons {
		if k.A != pair[0] || k.B != pair[1] || k.Effect == nil {
			continue
		}
		e := *k.Effect
		x := e.Estimate * scale.text.factor
		cell := figure.HeatCell{
			Text: prose.Signed(x, heatDecimals(x, scale.text)), Depth: scale.depth(e.Estimate), Good: goodness(e.Estimate, m.Better),
			Firm: k.Verdict == stats.Better || k.Verdict == stats.Worse, Open: e.Interval == nil,
			Title: fmt.Sprintf("%s: %s (%s), %s", what, scale.text.estimate(e), scale.text.interval(e), k.Verdict),
		}
		if s.keys != nil && k.AgainstBase {
			cell.Key = s.keys(s.cells[i].ID, name, pair[1])
		}
		if iv := e.Interval; iv != nil {
			within := iv.Low >= k.Band.Low && iv.High <= k.Band.High
			cell.Inside = within || iv.Low <= 0 && iv.High >= 0
		}
		return cell
	}
	return figure.HeatCell{Title: what + ": no values of both"}
}

// heatDecimals keeps a number short enough for its cell.
func heatDecimals(x float64, text effectText) int {
	if math.Abs(x) >= 9.95 {
		return 0
	}
	return min(text.decimals, 1)
}

// goodness is 1 for a change to the better, −1 to the worse.
func goodness(effect float64, better result.Better) int {
	sign := 0
	switch {
	case effect > 0:
		sign = 1
	case effect < 0:
		sign = -1
	}
	if better == result.Lower {
		sign = -sign
	}
	return sign
}

// heatKeys explains colours and marks, from worse to better.
func heatKeys(h heatScale, m analysis.Metric) []heatKey {
	small, middle, large := "up to "+h.step(0), h.step(0)+" to "+h.step(1), h.step(1)+" to "+h.step(2)
	keys := []heatKey{
		{Class: "bad3", Name: "worse by more than " + h.step(2)}, {Class: "bad2", Name: large}, {Class: "bad1", Name: middle}, {Class: "bad0", Name: small},
		{Class: "good0", Name: "better by " + small}, {Class: "good1", Name: middle}, {Class: "good2", Name: large}, {Class: "good3", Name: "more than " + h.step(2)},
		{Class: "inside", Hatch: true, Name: "inside the interval: it covers 0, or all of it is within the margin"},
	}
	for _, c := range m.Comparisons {
		if c.Effect != nil && c.Effect.Interval == nil {
			return append(keys, heatKey{Class: "open", Name: "too few values for an interval"})
		}
	}
	return keys
}

// Swatch is a small cell of the kind.
func (k heatKey) Swatch() template.HTML {
	hatch := ""
	if k.Hatch {
		hatch = `<path class="hatch" d="M1 13l6-12M7 13l6-12M13 13l6-12"/>`
	}
	return template.HTML(`<svg viewBox="0 0 22 14" aria-hidden="true"><rect class="` + k.Class + `" x=".5" y=".5" width="21" height="13"/>` + hatch + `</svg>`)
}

// heatWords says a map's rows in words.
func heatWords(h figure.HeatMap) string {
	var rows []string
	heading := ""
	for _, r := range h.Rows {
		if len(r.Cells) == 0 {
			heading = r.Name + ", "
			continue
		}
		var cells []string
		for i, c := range r.Cells {
			text := c.Text
			switch {
			case text == "":
				text = "none"
			case c.Inside:
				text += " (inside the interval)"
			case c.Open:
				text += " (no interval)"
			}
			cells = append(cells, h.Columns[i]+": "+text)
		}
		rows = append(rows, heading+r.Name+": "+strings.Join(cells, ", "))
	}
	return strings.Join(rows, ". ") + "."
}
