package report

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
)

// numberTable holds all summaries of one cell.
type numberTable struct {
	Cell    string
	Metrics []numberGroup
	Lossy   bool // a row lacks samples
	// Details are the metrics that are folded, and NotMeasured says what no
	// trial has.
	Details     []detailTable
	NotMeasured []string
}

// numberGroup holds the rows of one metric.
type numberGroup struct {
	Title string
	Rows  []numberRow
}

// numberRow is one arm: n, median, interval, mean, sd, min, max and what is
// missing to a full sample.
type numberRow struct {
	Variant string
	Numbers []string
	Lost    string
	Key     string // of its values in the page
	Change  change // against the base
}

// change is what a variant does to a metric, and its verdict; empty for the
// base and where nothing can be said.
type change struct{ Verdict, Text, Interval string }

func changeOf(m analysis.Metric, text effectText, variant string) change {
	k, ok := againstBase(m, variant)
	if !ok || k.Effect == nil {
		return change{}
	}
	return change{string(k.Verdict), text.estimate(*k.Effect), text.interval(*k.Effect)}
}

func numberTables(a analysis.Analysis) []numberTable {
	var tables []numberTable
	for i, c := range a.Cells {
		t := numberTable{Cell: c.ID, Details: detailTables(c), NotMeasured: notMeasured(c)}
		for j, m := range shownMetrics(c) {
			show := measureOf(m)
			text := newEffectText(m)
			g := numberGroup{Title: m.Name + " in " + show.unit}
			for k, arm := range m.Arms {
				g.Rows = append(g.Rows, numberRow{arm.Variant, summaryNumbers(show, arm), lostText(c.Outcomes[k], arm), dataKey(i, j, k), changeOf(m, text, arm.Variant)})
			}
			t.Metrics = append(t.Metrics, g)
			t.Lossy = t.Lossy || slices.ContainsFunc(g.Rows, func(r numberRow) bool { return r.Lost != "" })
		}
		tables = append(tables, t)
	}
	return tables
}

func summaryNumbers(show measure, arm analysis.Arm) []string {
	s := arm.Summary
	if s == nil {
		return []string{"0", "–", "–", "–", "–", "–", "–"}
	}
	interval, sd := "n < 6", "–"
	if s.Interval != nil {
		interval = show.span(s.Interval.Low, s.Interval.High)
	}
	if s.SD != nil {
		sd = prose.Fixed(*s.SD/show.divisor, max(show.decimals, 1))
	}
	return []string{fmt.Sprint(s.N), show.number(s.Median), interval, show.number(s.Mean), sd, show.number(s.Min), show.number(s.Max)}
}

// lostText says why an arm has fewer samples than the plan has blocks.
func lostText(o analysis.Outcome, arm analysis.Arm) string {
	lost := o.Losses()
	if arm.Absent > 0 {
		if lost != "" {
			lost += ", "
		}
		lost += fmt.Sprintf("%d ok without this metric", arm.Absent)
	}
	return lost
}
