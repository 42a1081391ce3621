package report

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// wideMatrix is the number of columns beyond which a matrix is turned, if that
// makes it narrower, and set in small letters.
const wideMatrix = 8

// matrix holds the verdict on every variant in every cell.
type matrix struct {
	Base    string
	Turned  bool // a row is a variant, not a cell's metric
	Dense   bool
	Columns []matrixHead
	Rows    []matrixRow
	States  []string // that occur, to be explained
	// Exploratory says that a row is about a metric which nobody declared; the
	// others are then marked.
	Exploratory bool
}

// matrixHead names a row or a column: a variant, or the metric of a cell.
type matrixHead struct {
	Variant      string
	Cell, Metric string
	Note         string
}

type matrixRow struct {
	Head   matrixHead
	Fields []matrixField
}

// matrixField says one thing in words, as colour and as a sign.
type matrixField struct {
	Variant, Cell string
	// State is the verdict, or why there is none: "base", "failed", "invalid",
	// "unsupported", "missing", "unmeasured".
	State        string
	Text, Detail string
	Why          string // the reason of a field without a value
	Key          string // of the values in the page's data
	Section      string // that the field leads to
	Label        string // the name of the column, where there is none
}

// matrixLine is one metric of one cell; the metric is nil where no trial has a
// result.
type matrixLine struct {
	cell   int
	index  int // among the metrics that the page shows in full
	metric *analysis.Metric
}

// newMatrix shows of each cell the metrics that were declared, and the first
// one where none was.
func newMatrix(a analysis.Analysis) matrix {
	t := matrix{Base: a.Plan.Analysis.Base}
	lines := matrixLines(a)
	reasons := lossReasons(a)
	variants := make([]matrixHead, len(a.Plan.Variants))
	for i, v := range a.Plan.Variants {
		variants[i] = matrixHead{Variant: v.Name}
		if v.Name == t.Base {
			variants[i].Note = "base"
		} else if a.Plan.IsTwin(v.Name) {
			variants[i].Note = "A/A twin of " + a.Plan.Analysis.AA.Variant
		}
	}
	t.Exploratory = slices.ContainsFunc(lines, func(l matrixLine) bool { return l.metric != nil && !l.metric.Primary })
	heads := make([]matrixHead, len(lines))
	for i, l := range lines {
		heads[i] = matrixHead{Cell: a.Cells[l.cell].ID}
		if l.metric != nil {
			heads[i].Metric = l.metric.Name
			if t.Exploratory && l.metric.Primary {
				heads[i].Note = "primary"
			}
		}
	}
	t.Turned = len(variants) > wideMatrix && len(variants) > len(lines)
	t.Columns = variants
	rows := heads
	if t.Turned {
		t.Columns, rows = heads, variants
	}
	for i, head := range rows {
		row := matrixRow{Head: head}
		for j := range t.Columns {
			line, variant := i, j
			if t.Turned {
				line, variant = j, i
			}
			field := newField(a, lines[line], variant, reasons)
			if field.Label = field.Variant; t.Turned {
				field.Label = field.Cell
			}
			row.Fields = append(row.Fields, field)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Dense = len(t.Columns) > wideMatrix
	t.States = t.states()
	return t
}

func matrixLines(a analysis.Analysis) []matrixLine {
	var lines []matrixLine
	for i, c := range a.Cells {
		before, shown := len(lines), 0
		var first *matrixLine
		for j := range c.Metrics {
			m := &c.Metrics[j]
			if m.Folded() {
				continue
			}
			line := matrixLine{i, shown, m}
			if shown++; m.Primary {
				lines = append(lines, line)
			}
			if first == nil {
				first = &line
			}
		}
		if len(lines) == before {
			if first == nil {
				first = &matrixLine{cell: i}
			}
			lines = append(lines, *first)
		}
	}
	return lines
}

func newField(a analysis.Analysis, l matrixLine, variant int, reasons map[lossPlace]string) matrixField {
	c, name := a.Cells[l.cell], a.Plan.Variants[variant].Name
	f := matrixField{Variant: name, Cell: c.ID, Section: "effects"}
	place := lossPlace{cell: c.ID, variant: name}
	if l.metric == nil {
		return lostField(f, c.Outcomes[variant], reasons[place])
	}
	if l.metric.Arms[variant].Summary == nil {
		if c.Outcomes[variant].OK > 0 {
			place.metric = l.metric.Name
		}
		return lostField(f, c.Outcomes[variant], reasons[place])
	}
	m := *l.metric
	f.Key = dataKey(l.cell, l.index, variant)
	if name == a.Plan.Analysis.Base {
		s, show := *m.Arms[variant].Summary, measureOf(m)
		f.State, f.Section, f.Text = "base", "blocks", show.with(s.Median)
		if s.Interval != nil {
			f.Detail = show.span(s.Interval.Low, s.Interval.High)
		}
		return f
	}
	k, ok := againstBase(m, name)
	if a.Plan.IsTwin(name) && m.AA != nil {
		k, ok = *m.AA, true
	}
	if !ok || k.Effect == nil {
		f.State, f.Section, f.Text = "unmeasured", "blocks", "not comparable"
		f.Why = "there is nothing to compare it with"
		if k.Open != "" {
			f.Why = k.Open
		}
		return f
	}
	text := newEffectText(m)
	f.State, f.Text, f.Detail = string(k.Verdict), text.estimate(*k.Effect), text.interval(*k.Effect)
	if o := c.Outcomes[variant]; o.OK < o.Planned {
		f.Why = fmt.Sprintf("%d of %s", o.OK, prose.Plural(o.Planned, "trial"))
	}
	return f
}

// lostField says why a variant has no value in a cell: what happened most, of
// equal ones the one that says more.
func lostField(f matrixField, o analysis.Outcome, reason string) matrixField {
	f.State, f.Text, f.Section, f.Why = "unmeasured", "not measured", "dropped", reason
	most := 0
	if o.OK > 0 { // measured, but not this
		f.Section = "numbers"
		if f.Why == "" {
			f.Why = "no trial has this metric"
		}
		return f
	}
	for _, s := range []struct {
		state string
		count int
	}{{string(result.Unsupported), o.Unsupported}, {string(result.Failed), o.Failed}, {string(result.Invalid), o.Invalid}, {"missing", o.Missing}} {
		if s.count > most {
			most, f.State, f.Text = s.count, s.state, s.state
		}
	}
	return f
}

// lossPlace is a variant in a cell, or one metric of it that ok trials lack.
type lossPlace struct{ cell, metric, variant string }

// lossReasons are the reasons, of each place the first in the report's order
// that was not made good by another attempt.
func lossReasons(a analysis.Analysis) map[lossPlace]string {
	reasons := map[lossPlace]string{}
	for _, d := range a.Dropped {
		if p := (lossPlace{d.Cell, "", d.Variant}); !d.Replaced && reasons[p] == "" {
			reasons[p] = d.Reason
		}
	}
	for _, m := range a.Missing {
		if p := (lossPlace{m.Cell, "", m.Variant}); reasons[p] == "" {
			reasons[p] = a.WhyMissing()
		}
	}
	for _, c := range a.Cells {
		for _, g := range c.Gaps {
			if p := (lossPlace{c.ID, g.Metric, g.Variant}); reasons[p] == "" {
				reasons[p] = g.Reason
			}
		}
	}
	return reasons
}

// states lists what occurs, in the order in which readers want to know.
func (t matrix) states() []string {
	var list []string
	for _, state := range []string{
		string(stats.Better), string(stats.Worse), string(stats.Equivalent), string(stats.Inconclusive),
		string(result.Failed), string(result.Invalid), string(result.Unsupported), "missing", "unmeasured",
	} {
		if slices.ContainsFunc(t.Rows, func(r matrixRow) bool {
			return slices.ContainsFunc(r.Fields, func(f matrixField) bool { return f.State == state })
		}) {
			list = append(list, state)
		}
	}
	return list
}
