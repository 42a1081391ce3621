package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
)

func viewMetric(c analysis.Compared, m analysis.ComparedMetric) compareTable {
	effects, show := comparedEffects(m), comparedMeasure(m)
	t := compareTable{Title: fmt.Sprintf("%s in %s, %s is better, margin %s  [%s]",
		m.Name, show.unit, m.Better, effects.margin(analysis.Metric{Metric: m.Metric}), familyOf(m.Primary))}
	if len(c.Campaigns) == 1 {
		t.within(c, m, show, effects)
	} else {
		t.between(m, show, effects)
	}
	t.dropEmptyColumns()
	t.Notes = append(t.Notes, lackNotes(m)...)
	for _, arm := range m.Arms {
		if len(arm.Partial) > 0 {
			t.Notes = append(t.Notes, "not the whole of it with "+arm.Variant+": "+strings.Join(arm.Partial, "; "))
		}
	}
	if m.Groups != nil && m.Groups.Absent != "" {
		t.Notes = append(t.Notes, "no letters: "+m.Groups.Absent)
	}
	return t
}

func familyOf(primary bool) string {
	if primary {
		return "primary"
	}
	return "exploratory"
}

// comparedEffects chooses one unit and precision for all effects of a metric.
func comparedEffects(m analysis.ComparedMetric) effectText {
	like := analysis.Metric{Metric: m.Metric}
	for _, r := range m.Rows {
		like.Comparisons = append(like.Comparisons, analysis.Comparison{Effect: r.Effect})
	}
	if m.AA != nil {
		like.AA = &analysis.Comparison{Effect: m.AA.Effect}
	}
	return newEffectText(like)
}

// comparedMeasure chooses one unit and precision for all values of a metric.
func comparedMeasure(m analysis.ComparedMetric) measure {
	var values []float64
	for _, arm := range m.Arms {
		if s := arm.Summary; s != nil {
			values = append(values, s.Min, s.Median, s.Max)
		}
	}
	return newMeasure(m.Unit, values)
}

// rowText is change, interval and verdict of a comparison.
func rowText(effects effectText, r analysis.ComparedRow) []string {
	if r.Effect == nil {
		return []string{"–", "–", r.Open}
	}
	return comparisonText(effects, analysis.Comparison{Effect: r.Effect, Verdict: r.Verdict, Further: r.Further, Open: r.Open})
}

func medianText(show measure, arm analysis.ComparedArm) (n, median string) {
	if arm.Summary == nil {
		return "0", "–"
	}
	return fmt.Sprint(arm.Summary.N), show.number(arm.Summary.Median)
}

// within shows the variants of one campaign against the base.
func (t *compareTable) within(c analysis.Compared, m analysis.ComparedMetric, show measure, effects effectText) {
	t.Right = []bool{false, true, true, false, true, true, false, false, false}
	t.Rows = [][]string{{"", "n", "median", "group", "vs " + c.Base, "95 % interval", "verdict", "marks", "environment differs"}}
	for _, arm := range m.Arms {
		n, median := medianText(show, arm)
		row := []string{arm.Variant, n, median, arm.Letters}
		i := slices.IndexFunc(m.Rows, func(r analysis.ComparedRow) bool { return r.A == c.Base && r.B == arm.Variant })
		switch {
		case i >= 0:
			row = append(row, append(rowText(effects, m.Rows[i]), marksText(arm), environmentText(m.Rows[i]))...)
		case m.AA != nil && m.AA.B == arm.Variant:
			row = append(row, append(twinText(effects, analysis.Comparison{A: m.AA.A, B: m.AA.B, Effect: m.AA.Effect, Verdict: m.AA.Verdict}), marksText(arm), "")...)
		case arm.Variant == c.Base:
			row = append(row, "base", "", "", marksText(arm), "")
		default:
			row = append(row, "", "", "", marksText(arm), "")
		}
		t.Rows = append(t.Rows, row)
	}
	for _, r := range m.Rows {
		if r.A == c.Base {
			continue
		}
		if t.Pairs == nil {
			t.Pairs = [][]string{{"other pairs, exploratory", "change", "95 % interval", "verdict", "environment differs"}}
		}
		t.Pairs = append(t.Pairs, append(append([]string{r.B + " vs " + r.A}, rowText(effects, r)...), environmentText(r)))
	}
}

// between shows the variants of two campaigns.
func (t *compareTable) between(m analysis.ComparedMetric, show measure, effects effectText) {
	t.Right = []bool{false, true, true, true, true, true, false, true, true}
	t.Rows = [][]string{{"", "n", "A", "B", "change", "95 % interval", "verdict", "Welch", "p"}}
	for _, r := range m.Rows {
		a, _ := m.Arm(0, r.A)
		b, _ := m.Arm(1, r.B)
		na, medianA := medianText(show, a)
		nb, medianB := medianText(show, b)
		row := append([]string{sides(r), na + ", " + nb, medianA, medianB}, rowText(effects, r)...)
		t.Rows = append(t.Rows, append(row, welchText(effects, r)...))
	}
	t.Notes = append(t.Notes, byRow(m, "marks of ", func(r analysis.ComparedRow) string {
		a, _ := m.Arm(0, r.A)
		b, _ := m.Arm(1, r.B)
		var marks []string
		for _, side := range []struct{ name, marks string }{{"A", marksText(a)}, {"B", marksText(b)}} {
			if side.marks != "" {
				marks = append(marks, side.name+" "+side.marks)
			}
		}
		return strings.Join(marks, "; ")
	})...)
	t.Notes = append(t.Notes, byRow(m, "environment differs for ", environmentText)...)
}

// sides names a row of two campaigns.
func sides(r analysis.ComparedRow) string {
	if r.A == r.B {
		return r.B
	}
	return r.B + " vs " + r.A
}

// byRow says something of every row for which there is something to say, of
// rows with the same text together: a table of two campaigns is too wide for
// more columns.
func byRow(m analysis.ComparedMetric, what string, of func(analysis.ComparedRow) string) []string {
	var order []string
	rows := map[string][]string{}
	for _, r := range m.Rows {
		text := of(r)
		if text == "" {
			continue
		}
		if rows[text] == nil {
			order = append(order, text)
		}
		rows[text] = append(rows[text], sides(r))
	}
	var notes []string
	for _, text := range order {
		notes = append(notes, what+strings.Join(rows[text], ", ")+": "+text)
	}
	return notes
}

// welchText is the second opinion: change of the means and p.
func welchText(effects effectText, r analysis.ComparedRow) []string {
	if r.Unpaired == nil || r.Unpaired.Mean == nil || r.Unpaired.WelchP == nil {
		return []string{"–", "–"}
	}
	return []string{effects.estimate(analysis.Effect{Estimate: *r.Unpaired.Mean}), pText(*r.Unpaired.WelchP)}
}

// pText formats a p-value; below one in ten thousand its size says nothing.
func pText(p float64) string {
	if p < 0.0001 {
		return "< 0.0001"
	}
	return prose.Fixed(p, 4)
}

// dropEmptyColumns removes columns in which no row has anything.
func (t *compareTable) dropEmptyColumns() {
	t.Rows, t.Right = withoutEmpty(t.Rows, t.Right)
	t.Pairs, _ = withoutEmpty(t.Pairs, nil)
}

func withoutEmpty(rows [][]string, right []bool) ([][]string, []bool) {
	if len(rows) == 0 {
		return rows, right
	}
	kept := make([][]string, len(rows))
	var keptRight []bool
	for column := range rows[0] {
		used := column == 0
		for _, row := range rows[1:] {
			used = used || row[column] != ""
		}
		if !used {
			continue
		}
		for i, row := range rows {
			kept[i] = append(kept[i], row[column])
		}
		if right != nil {
			keptRight = append(keptRight, right[column])
		}
	}
	return kept, keptRight
}

// lackNotes name the blocks that one side lacks, once for each variant and
// reason.
func lackNotes(m analysis.ComparedMetric) []string {
	type group struct{ variant, reason string }
	var order []group
	blocks := map[group][]int{}
	for _, r := range m.Rows {
		for _, l := range r.Lacking {
			g := group{l.Variant, l.Reason}
			if blocks[g] == nil {
				order = append(order, g)
			}
			if !slices.Contains(blocks[g], l.Block) {
				blocks[g] = append(blocks[g], l.Block)
			}
		}
	}
	var notes []string
	for _, g := range order {
		slices.Sort(blocks[g])
		words := strings.Trim(strings.ReplaceAll(fmt.Sprint(blocks[g]), " ", ", "), "[]")
		noun := "block "
		if len(blocks[g]) > 1 {
			noun = "blocks "
		}
		notes = append(notes, fmt.Sprintf("left out: %s%s of %s: %s", noun, words, g.variant, g.reason))
	}
	return notes
}
