package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// detailTable holds the medians of the metrics of one group that a cell folds:
// what the machines did, besides what was measured.
type detailTable struct {
	Group    string
	Variants []string
	Rows     []detailRow
}

// detailRow is one metric: its name, unit, what it is, and a median or a dash
// per variant.
type detailRow struct {
	Name, Unit, Help string
	Medians          []string
}

// detailTables lists the groups of a cell in order of appearance, without what
// is a matrix.
func detailTables(c analysis.Cell) []detailTable {
	var tables []detailTable
	index := map[string]int{}
	for _, m := range c.Metrics {
		if !m.Folded() || m.Group == result.BetweenNodes {
			continue
		}
		i, known := index[m.Group]
		if !known {
			i = len(tables)
			index[m.Group] = i
			t := detailTable{Group: m.Group}
			for _, arm := range m.Arms {
				t.Variants = append(t.Variants, arm.Variant)
			}
			tables = append(tables, t)
		}
		show := detailMeasure(c, m)
		row := detailRow{Name: m.Name, Unit: show.unit, Help: m.Help}
		for _, arm := range m.Arms {
			text := "–"
			if arm.Summary != nil {
				text = show.number(arm.Summary.Median)
			}
			row.Medians = append(row.Medians, text)
		}
		tables[i].Rows = append(tables[i].Rows, row)
	}
	return tables
}

// detailMeasure shows all metrics of a group that have one unit in one way, so
// that they can be compared down a column.
func detailMeasure(c analysis.Cell, m analysis.Metric) measure {
	var values []float64
	for _, other := range c.Metrics {
		if other.Group != m.Group || other.Unit != m.Unit {
			continue
		}
		for _, arm := range other.Arms {
			if arm.Summary != nil {
				values = append(values, arm.Summary.Median)
			}
		}
	}
	return newMeasure(m.Unit, values)
}

// notMeasured says what no trial of a cell has, and why.
func notMeasured(c analysis.Cell) []string {
	var lines []string
	for _, absence := range c.NotOffered() {
		lines = append(lines, fmt.Sprintf("not measured: %s: %s", strings.Join(absence.Metrics, ", "), absence.Reason))
	}
	return lines
}

// writeDetails writes a table per group, and what was not measured.
func writeDetails(b *bytes.Buffer, c analysis.Cell) {
	if m, ok := newNodeMatrix(c); ok {
		m.write(b)
	}
	for _, d := range detailTables(c) {
		t := table{indent: "    ", right: []bool{false, false}}
		head := []string{"", ""}
		for _, v := range d.Variants {
			t.right, head = append(t.right, true), append(head, v)
		}
		t.add(head...)
		for _, row := range d.Rows {
			t.add(append([]string{row.Name, row.Unit}, row.Medians...)...)
		}
		fmt.Fprintf(b, "\n  %s, medians  [details]\n", d.Group)
		t.write(b)
	}
	for i, line := range notMeasured(c) {
		if i == 0 {
			fmt.Fprintln(b)
		}
		writeWrapped(b, "  ", line)
	}
}

// markdownDetails does the same in Markdown.
func markdownDetails(b *bytes.Buffer, c analysis.Cell) {
	if m, ok := newNodeMatrix(c); ok {
		m.markdown(b)
	}
	for _, d := range detailTables(c) {
		fmt.Fprintf(b, "\n**Details: %s, medians**\n\n", md(d.Group))
		rows := [][]string{append([]string{"metric", "unit"}, d.Variants...)}
		for _, row := range d.Rows {
			rows = append(rows, append([]string{row.Name, row.Unit}, row.Medians...))
		}
		markdownTable(b, rows)
	}
	for _, line := range notMeasured(c) {
		fmt.Fprintf(b, "\n%s\n", md(capital(line)))
	}
}
