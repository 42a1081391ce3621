package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/result"
)

// nodeMatrix holds the medians of a cell's metrics that are of one pair of
// nodes each.
type nodeMatrix struct {
	Cell  string
	nodes []string // in their natural order
	// by the names of the nodes from and to
	metrics map[[2]string]analysis.Metric
	arms    []analysis.Arm // of one of them: all have the same variants
	show    measure
}

// newNodeMatrix reports false for a cell without such metrics.
func newNodeMatrix(c analysis.Cell) (nodeMatrix, bool) {
	m := nodeMatrix{Cell: c.ID, metrics: map[[2]string]analysis.Metric{}}
	var medians []float64
	for _, metric := range c.Metrics {
		from, to, ok := result.PairOf(metric.Name)
		if metric.Group != result.BetweenNodes || !ok {
			continue
		}
		for _, node := range []string{from, to} {
			if !slices.Contains(m.nodes, node) {
				m.nodes = append(m.nodes, node)
			}
		}
		m.metrics[[2]string{from, to}], m.arms = metric, metric.Arms
		for _, arm := range metric.Arms {
			if arm.Summary != nil {
				medians = append(medians, arm.Summary.Median)
			}
		}
		m.show = newMeasure(metric.Unit, medians)
	}
	slices.SortFunc(m.nodes, naturally)
	return m, len(medians) > 0
}

// naturally orders names whose numbers differ by these: node2 before node10.
func naturally(a, b string) int {
	split := func(s string) (text, digits, rest string) {
		i := strings.IndexAny(s, "0123456789")
		if i < 0 {
			return s, "", ""
		}
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		return s[:i], strings.TrimLeft(s[i:j], "0"), s[j:]
	}
	for x, y := a, b; x != "" || y != ""; {
		var xt, xd, yt, yd string
		xt, xd, x = split(x)
		yt, yd, y = split(y)
		if c := cmp.Or(strings.Compare(xt, yt), len(xd)-len(yd), strings.Compare(xd, yd)); c != 0 {
			return c
		}
	}
	return strings.Compare(a, b)
}

// variants are those that have a value, in the plan's order.
func (m nodeMatrix) variants() []string {
	var names []string
	for _, arm := range m.arms {
		if slices.ContainsFunc(m.medians(arm.Variant), func(x float64) bool { return !math.IsNaN(x) }) {
			names = append(names, arm.Variant)
		}
	}
	return names
}

// medians are the fields of a variant, row by row; NaN where there is none.
func (m nodeMatrix) medians(variant string) []float64 {
	var all []float64
	for _, from := range m.nodes {
		for _, to := range m.nodes {
			all = append(all, m.median(variant, from, to))
		}
	}
	return all
}

func (m nodeMatrix) median(variant, from, to string) float64 {
	for _, arm := range m.metrics[[2]string{from, to}].Arms {
		if arm.Variant == variant && arm.Summary != nil {
			return arm.Summary.Median
		}
	}
	return math.NaN()
}

// text is a field in words, a dash where there is none.
func (m nodeMatrix) text(variant, from, to string) string {
	x := m.median(variant, from, to)
	if math.IsNaN(x) {
		return "–"
	}
	return m.show.number(x)
}

// rows are a variant's matrix with its heads, for text and Markdown.
func (m nodeMatrix) rows(variant string) [][]string {
	rows := [][]string{append([]string{"from \\ to"}, m.nodes...)}
	for _, from := range m.nodes {
		row := []string{from}
		for _, to := range m.nodes {
			row = append(row, m.text(variant, from, to))
		}
		rows = append(rows, row)
	}
	return rows
}

// write writes a table per variant.
func (m nodeMatrix) write(b *bytes.Buffer) {
	for _, variant := range m.variants() {
		t := table{indent: "    ", right: []bool{false}}
		for range m.nodes {
			t.right = append(t.right, true)
		}
		for _, row := range m.rows(variant) {
			t.add(row...)
		}
		fmt.Fprintf(b, "\n  %s, %s, medians in %s  [details]\n", result.BetweenNodes, variant, m.show.unit)
		t.write(b)
	}
}

// markdown does the same in Markdown.
func (m nodeMatrix) markdown(b *bytes.Buffer) {
	for _, variant := range m.variants() {
		fmt.Fprintf(b, "\n**Details: %s, %s, medians in %s**\n\n", result.BetweenNodes, md(variant), md(m.show.unit))
		markdownTable(b, m.rows(variant))
	}
}

// cellNodes is a cell's matrix as the page shows it.
type cellNodes struct {
	Cell, Unit string
	// Maps has one per variant; none where they are too large to be drawn.
	Maps     []nodeMap
	Small    bool // several fit side by side
	Variants []string
	Pairs    []nodePair
	Left     bool // pairs that the table has no room for
}

// nodeMap is the heat map of one variant.
type nodeMap struct {
	Variant string
	figure.HeatDrawing
	Keys []heatKey
}

// nodePair is a row of the table: what went from one node to another, a text
// per variant.
type nodePair struct {
	From, To string
	Medians  []string
}

const (
	// mapFields is the number of fields, of all variants of a cell, up to which
	// maps are drawn: each takes some 300 bytes of the page.
	mapFields = 4000
	// tablePairs is the number of pairs up to which the table has all.
	tablePairs = 2000
	// smallMap is the number of nodes up to which maps stand side by side.
	smallMap = 5
	// shortName is the length, in bytes, up to which nodes name columns.
	shortName = 7
)

// nodeSteps are the shares by which a field differs from its variant's median
// from which on its colour is deeper; below the first it has none.
var nodeSteps = [3]float64{0.05, 0.15, 0.30}

// nodeMatrices are those of all cells.
func nodeMatrices(a analysis.Analysis) []cellNodes {
	var list []cellNodes
	for i, c := range a.Cells {
		m, ok := newNodeMatrix(c)
		if !ok {
			continue
		}
		n := cellNodes{Cell: c.ID, Unit: m.show.unit, Variants: m.variants(), Small: len(m.nodes) <= smallMap}
		if len(n.Variants)*len(m.nodes)*len(m.nodes) <= mapFields {
			for j, v := range n.Variants {
				n.Maps = append(n.Maps, m.draw(v, fmt.Sprintf("n%d-%d", i, j)))
			}
		}
		n.Pairs, n.Left = m.pairs(n.Variants)
		list = append(list, n)
	}
	return list
}

// pairs are the rows of the table.
func (m nodeMatrix) pairs(variants []string) (pairs []nodePair, left bool) {
	for _, from := range m.nodes {
		for _, to := range m.nodes {
			if _, measured := m.metrics[[2]string{from, to}]; !measured {
				continue
			}
			if len(pairs) == tablePairs {
				return pairs, true
			}
			p := nodePair{From: from, To: to}
			for _, v := range variants {
				p.Medians = append(p.Medians, m.text(v, from, to))
			}
			pairs = append(pairs, p)
		}
	}
	return pairs, false
}

// draw draws one variant, coloured by how its fields differ from their median.
func (m nodeMatrix) draw(variant, id string) nodeMap {
	fields := slices.DeleteFunc(m.medians(variant), math.IsNaN)
	slices.Sort(fields)
	middle := (fields[(len(fields)-1)/2] + fields[len(fields)/2]) / 2
	h := figure.HeatMap{ID: id, Title: fmt.Sprintf("%s: medians in %s", variant, m.show.unit), ColumnLabel: "to", Columns: m.columns()}
	for i, from := range m.nodes {
		row := figure.HeatRow{Name: from}
		if h.Columns[i] != from {
			row.Name = h.Columns[i] + " " + from
		}
		for _, to := range m.nodes {
			row.Cells = append(row.Cells, m.field(variant, from, to, middle))
		}
		h.Rows = append(h.Rows, row)
	}
	h.Description = fmt.Sprintf("Rows send, columns receive. Medians of %s in %s. %s", variant, m.show.unit, heatWords(h))
	return nodeMap{variant, h.Draw(), nodeKeys()}
}

// columns name the nodes shortly: by themselves where their names are, else by
// letters that stand before the rows' names.
func (m nodeMatrix) columns() []string {
	if !slices.ContainsFunc(m.nodes, func(name string) bool { return len(name) > shortName }) {
		return slices.Clone(m.nodes)
	}
	names := make([]string, len(m.nodes))
	for i := range names {
		names[i] = letters(i)
	}
	return names
}

// letters counts A, B, … Z, AA, AB.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letters(i/26-1) + letters(i%26)
}

func (m nodeMatrix) field(variant, from, to string, middle float64) figure.HeatCell {
	x := m.median(variant, from, to)
	switch {
	case from == to:
		return figure.HeatCell{Title: from + " itself"}
	case math.IsNaN(x):
		return figure.HeatCell{Title: fmt.Sprintf("%s to %s: not measured", from, to)}
	}
	cell := figure.HeatCell{Text: m.show.number(x), Title: fmt.Sprintf("%s to %s: %s", from, to, m.show.with(x))}
	difference := x/middle - 1
	for i, step := range nodeSteps {
		if math.Abs(difference) > step {
			cell.Depth, cell.Good = i+1, goodness(difference, m.metrics[[2]string{from, to}].Better)
		}
	}
	return cell
}

// nodeKeys explain the colours, from worse to better.
func nodeKeys() []heatKey {
	per := func(i int) string { return fmt.Sprintf("%.0f %%", 100*nodeSteps[i]) }
	between := func(i int) string { return per(i) + " to " + per(i+1) }
	return []heatKey{
		{Class: "bad3", Name: "worse than the variant's median by more than " + per(2)}, {Class: "bad2", Name: between(1)}, {Class: "bad1", Name: between(0)},
		{Class: "inside", Name: "less than " + per(0)},
		{Class: "good1", Name: "better by " + between(0)}, {Class: "good2", Name: between(1)}, {Class: "good3", Name: "more than " + per(2)},
	}
}
