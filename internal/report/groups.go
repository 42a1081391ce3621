package report

import (
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/stats"
)

// grouping says of one metric of a cell which variants cannot be told apart.
type grouping struct {
	Cell, Metric string
	Rows         []groupRow
	Absent       string // why nothing can be said
}

// groupRow is a variant with the letters of its groups, the best first.
type groupRow struct{ Variant, Median, Letters string }

// groupings judges the metrics that the matrix shows.
func groupings(a analysis.Analysis) ([]grouping, error) {
	var list []grouping
	for _, l := range matrixLines(a) {
		if l.metric == nil {
			continue
		}
		found, err := a.Groups(*l.metric)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		g := grouping{Cell: a.Cells[l.cell].ID, Metric: l.metric.Name, Absent: found.Absent}
		if found.Absent == "" {
			g.Rows = groupRows(*l.metric, *found)
		}
		list = append(list, g)
	}
	return list, nil
}

func groupRows(m analysis.Metric, found analysis.ComparedGroups) []groupRow {
	show := measureOf(m)
	indexes := make([][]int, len(found.Groups))
	for i, group := range found.Groups {
		for _, variant := range group {
			indexes[i] = append(indexes[i], slices.Index(found.Members, variant))
		}
	}
	letters := stats.Letters(indexes, len(found.Members))
	rows := make([]groupRow, len(found.Members))
	for i, variant := range found.Members {
		rows[i] = groupRow{Variant: variant, Letters: strings.Join(letters[i], " ")}
		for _, arm := range m.Arms {
			if arm.Variant == variant && arm.Summary != nil {
				rows[i].Median = show.with(arm.Summary.Median)
			}
		}
	}
	return rows
}
