package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/profile"
)

// decisionView shows the decision matrix: facts with where they are from, and
// figures with their intervals.
type decisionView struct {
	Columns []decisionColumn
	Rows    []decisionRow
	Notes   []string
	// Turned says that the page shows variants as columns: there are fewer of
	// them than of what is known of each.
	Turned bool
}

// Lines are the rows of the turned matrix: a column, and its cells by variant.
func (v decisionView) Lines() []decisionLine {
	var lines []decisionLine
	for i, c := range v.Columns {
		line := decisionLine{decisionColumn: c}
		for _, row := range v.Rows {
			cell := row.Cells[i]
			cell.Variant = row.Variant
			line.Cells = append(line.Cells, cell)
		}
		lines = append(lines, line)
	}
	return lines
}

type decisionLine struct {
	decisionColumn
	Cells []decisionCell // by variant
}

type decisionColumn struct {
	Name, Detail string
	Figure       bool
}

type decisionRow struct {
	Variant, Title string
	Cells          []decisionCell // by column
}

type decisionCell struct {
	Variant string // where it is a column
	Text    string // all of it
	Value   string
	Detail  string // interval, or source and date
	Note    int    // number of the source below the table; 0: none
	Missing bool
	Figure  bool
}

// factColumns are those that were read, in the order of the matrix.
var factColumns = []struct {
	name string
	of   func(profile.DecisionRow) profile.Fact
}{
	{"data plane", func(r profile.DecisionRow) profile.Fact { return r.DataPlane }},
	{"policy", func(r profile.DecisionRow) profile.Fact { return r.Policy }},
	{"minimum kernel", func(r profile.DecisionRow) profile.Fact { return r.Kernel }},
}

// effortColumn stands behind the figures.
const effortColumn = "effort"

func newDecisionView(d profile.Decision) decisionView {
	v := decisionView{}
	if len(d.Rows) == 0 {
		return v
	}
	for _, c := range factColumns {
		v.Columns = append(v.Columns, decisionColumn{Name: c.name})
	}
	measures := make([]measure, len(d.Columns))
	for i, c := range d.Columns {
		measures[i] = newMeasure(c.Unit, columnValues(d, i))
		if c.Money {
			measures[i] = measure{divisor: 1, unit: c.Unit, money: true}
		}
		v.Columns = append(v.Columns, decisionColumn{Name: c.Name, Detail: columnDetail(c, measures[i]), Figure: true})
	}
	v.Columns = append(v.Columns, decisionColumn{Name: effortColumn})
	var sources []string
	for _, row := range d.Rows {
		shown := decisionRow{Variant: row.Variant, Title: row.Title}
		for _, c := range factColumns {
			shown.Cells = append(shown.Cells, factCell(c.of(row), &sources))
		}
		for i, f := range row.Figures {
			shown.Cells = append(shown.Cells, figureCell(f, measures[i]))
		}
		shown.Cells = append(shown.Cells, factCell(row.Effort, &sources))
		v.Rows = append(v.Rows, shown)
	}
	v.Turned = len(v.Rows) < len(v.Columns)
	for i, source := range sources {
		v.Notes = append(v.Notes, fmt.Sprintf("[%d] %s", i+1, source))
	}
	for _, c := range d.Columns {
		switch {
		case c.Cell != "":
			v.Notes = append(v.Notes, fmt.Sprintf("%s: %s of %s", c.Name, c.Metric, c.Cell))
		case c.Note != "":
			v.Notes = append(v.Notes, c.Name+": "+c.Note)
		}
	}
	v.Notes = append(v.Notes, "Facts were read and not measured. Figures are medians over the blocks with 95 % intervals")
	return v
}

func columnValues(d profile.Decision, column int) []float64 {
	var values []float64
	for _, row := range d.Rows {
		if f := row.Figures[column]; f.Value != nil {
			values = append(values, *f.Value)
		}
	}
	return values
}

func columnDetail(c profile.Column, m measure) string {
	if c.Missing != "" {
		return c.Missing
	}
	parts := []string{m.unit}
	if c.Cell != "" {
		parts = append(parts, c.Cell)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// factCell numbers its source.
func factCell(f profile.Fact, sources *[]string) decisionCell {
	if f.Value == "" {
		return decisionCell{Text: "unknown", Value: "unknown", Missing: true}
	}
	c := decisionCell{Text: f.Value, Value: f.Value}
	if f.Source == "" {
		return c
	}
	source := f.Source
	if f.Date != "" {
		source += ", read on " + f.Date
	}
	i := slices.Index(*sources, source)
	if i < 0 {
		*sources = append(*sources, source)
		i = len(*sources) - 1
	}
	c.Note = i + 1
	c.Text += fmt.Sprintf(" [%d]", c.Note)
	return c
}

func figureCell(f profile.Figure, m measure) decisionCell {
	if f.Value == nil {
		return decisionCell{Text: f.Missing, Value: "–", Detail: f.Missing, Missing: true, Figure: true}
	}
	c := decisionCell{Value: m.with(*f.Value), Figure: true, Detail: "no interval"}
	if f.Low != nil && f.High != nil {
		c.Detail = m.span(*f.Low, *f.High)
	}
	c.Text = fmt.Sprintf("%s (%s)", c.Value, c.Detail)
	return c
}
