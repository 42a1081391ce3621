package report

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
)

// numberTable holds all summaries of one cell.
type numberTable struct {
	Cell    string
	Metrics []numberGroup
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
}

func numberTables(a analysis.Analysis) []numberTable {
	var tables []numberTable
	for _, c := range a.Cells {
		t := numberTable{Cell: c.ID, Details: detailTables(c), NotMeasured: notMeasured(c)}
		for _, m := range c.Metrics {
			if m.Folded() {
				continue
			}
			show := measureOf(m)
			g := numberGroup{Title: m.Name + " in " + show.unit}
			for i, arm := range m.Arms {
				g.Rows = append(g.Rows, numberRow{arm.Variant, summaryNumbers(show, arm), lostText(c.Outcomes[i], arm)})
			}
			t.Metrics = append(t.Metrics, g)
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
