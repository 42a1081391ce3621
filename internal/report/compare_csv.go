package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
)

// compareHead names the columns. Medians are in the metric's unit; effects are
// fractions on the ratio scale, amounts in the unit otherwise. A cell without a
// number is empty.
var compareHead = []string{
	"plan_a", "plan_b", "cell", "scenario", "metric", "unit", "better", "scale", "margin", "a", "b", "paired", "family",
	"n_a", "n_b", "median_a", "median_b", "effect", "low", "high", "coverage", "verdict", "further", "open",
	"p_better", "p_worse", "p_equivalent", "adjusted_better", "adjusted_worse", "adjusted_equivalent",
	"cliffs_delta", "rank_p", "mean_effect", "mean_low", "mean_high", "welch_p",
	"letters_a", "letters_b", "marks_a", "marks_b", "lacking_blocks", "environment", "omitted",
}

// CompareCSV writes a row for each comparison, of folded metrics, too; then a
// row with nothing but a reason for what was not compared. Lists are separated
// by semicolons.
func CompareCSV(w io.Writer, c analysis.Compared) error {
	out := csv.NewWriter(w)
	rows := [][]string{compareHead}
	plans := []string{c.Campaigns[0].Plan, c.Campaigns[len(c.Campaigns)-1].Plan}
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			for _, r := range withTwinRow(m) {
				head := append(append([]string{}, plans...), cell.ID, cell.Scenario)
				rows = append(rows, append(head, compareRow(c, m, r)...))
			}
		}
	}
	for _, o := range c.Omitted {
		row := make([]string, len(compareHead))
		copy(row, append(append([]string{}, plans...), o.Cell, "", o.Metric))
		row[9], row[len(row)-1] = o.Variant, o.Reason
		rows = append(rows, row)
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}

// withTwinRow lists the comparisons and, last, that of the A/A twin.
func withTwinRow(m analysis.ComparedMetric) []analysis.ComparedRow {
	if m.AA == nil {
		return m.Rows
	}
	return append(slices.Clone(m.Rows), *m.AA)
}

// compareRow has what follows the scenario; the arm of B belongs to the last
// campaign.
func compareRow(c analysis.Compared, m analysis.ComparedMetric, r analysis.ComparedRow) []string {
	a, _ := m.Arm(0, r.A)
	b, _ := m.Arm(len(c.Campaigns)-1, r.B)
	row := []string{
		m.Name, m.Unit, string(m.Better), string(m.Scale), exact(&m.Margin), r.A, r.B, strconv.FormatBool(c.Paired),
		familyOf(r.Primary), strconv.Itoa(r.NA), strconv.Itoa(r.NB), medianOf(a), medianOf(b),
	}
	row = append(row, effectCells(r.Effect)...)
	further := ""
	if r.Further > 0 {
		further = strconv.Itoa(r.Further)
	}
	row = append(row, string(r.Verdict), further, r.Open)
	row = append(row, claimCells(r.P)...)
	row = append(row, claimCells(r.Adjusted)...)
	row = append(row, secondCells(r.Unpaired)...)
	var lacking []string
	for _, l := range r.Lacking {
		lacking = append(lacking, fmt.Sprintf("%d:%s", l.Block, l.Variant))
	}
	return append(row, a.Letters, b.Letters, marksText(a), marksText(b), strings.Join(lacking, "; "), strings.Join(r.Environment, "; "), "")
}

// exact formats a number so that reading it gives the same; nil is empty.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

func medianOf(arm analysis.ComparedArm) string {
	if arm.Summary == nil {
		return ""
	}
	return exact(&arm.Summary.Median)
}

func effectCells(e *analysis.Effect) []string {
	switch {
	case e == nil:
		return []string{"", "", "", ""}
	case e.Interval == nil:
		return []string{exact(&e.Estimate), "", "", ""}
	}
	return []string{exact(&e.Estimate), exact(&e.Interval.Low), exact(&e.Interval.High), exact(&e.Interval.Coverage)}
}

func claimCells(p *analysis.Claims) []string {
	if p == nil {
		return []string{"", "", ""}
	}
	return []string{exact(&p.Better), exact(&p.Worse), exact(&p.Equivalent)}
}

func secondCells(s *analysis.SecondOpinion) []string {
	if s == nil {
		return []string{"", "", "", "", "", ""}
	}
	row := []string{exact(&s.Delta), exact(&s.RankP), exact(s.Mean), "", "", exact(s.WelchP)}
	if s.Interval != nil {
		row[3], row[4] = exact(&s.Interval.Low), exact(&s.Interval.High)
	}
	return row
}
