package report

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// finding is one primary comparison in plain words. Without a verdict, Open says
// in two words why there is none.
type finding struct {
	Verdict stats.Verdict
	Text    string
	Open    string
}

// question is one primary metric of one cell, and what was found.
type question struct {
	Cell, Metric string
	Findings     []finding
}

// Tally counts the verdicts, such as "1 better, 2 worse".
func (q question) Tally() string {
	var verdicts []stats.Verdict
	for _, f := range q.Findings {
		if f.Open != "" {
			return f.Open
		}
		verdicts = append(verdicts, f.Verdict)
	}
	return strings.Join(countVerdicts(verdicts), ", ")
}

// answers states every primary comparison, in the plan's order of metrics.
func answers(a analysis.Analysis) []question {
	var list []question
	for _, declared := range a.Plan.Analysis.Primary {
		cut := strings.LastIndexByte(declared, '/')
		if cut < 0 {
			continue // the plan was validated; a name without a cell finds nothing
		}
		q := question{Cell: declared[:cut], Metric: declared[cut+1:]}
		nothing := finding{Open: "not measured", Text: "No trial measured this: nothing can be said. The reasons are listed with the dropped trials."}
		for _, c := range a.Cells {
			for _, m := range c.Metrics {
				if c.ID == q.Cell && m.Name == q.Metric {
					q.Findings = findings(c, m)
					nothing = finding{Open: "not compared", Text: "There is one variant only: nothing to compare it with."}
				}
			}
		}
		if q.Findings == nil {
			q.Findings = []finding{nothing}
		}
		list = append(list, q)
	}
	return list
}

func findings(cell analysis.Cell, m analysis.Metric) []finding {
	var list []finding
	text := newEffectText(m)
	for _, c := range m.Comparisons {
		if c.Primary {
			list = append(list, finding{Verdict: c.Verdict, Text: sentence(m, c, text) + ceilingSentence(cell, c)})
		}
	}
	return list
}

// ceilingSentence compares by CPU what fills the line; empty for the others.
func ceilingSentence(cell analysis.Cell, c analysis.Comparison) string {
	if !c.Ceiling {
		return ""
	}
	for _, m := range cell.Metrics {
		if m.Name != "cpu-per-gbit" {
			continue
		}
		for _, k := range m.Comparisons {
			if k.A == c.A && k.B == c.B {
				return " Both fill the line, so CPU tells them apart: " + sentence(m, k, newEffectText(m))
			}
		}
	}
	return " Both fill the line, and nothing says what CPU that took."
}

// sentence states one comparison: its size, its interval, the verdict and the
// margin it was judged by.
func sentence(m analysis.Metric, c analysis.Comparison, text effectText) string {
	if c.Effect == nil {
		return fmt.Sprintf("%s cannot be compared with %s: %s.", c.B, c.A, c.Open)
	}
	return fmt.Sprintf("%s: %s.", effectClause(m, c, text), verdictClause(m, c, text))
}

func effectClause(m analysis.Metric, c analysis.Comparison, text effectText) string {
	if m.Name == "throughput" {
		size, interval := text.change(*c.Effect, "less", "more")
		interval = joined(interval, twinInterval(m, text))
		if text.zero(*c.Effect) {
			return sameClause(m, c, text, interval)
		}
		return fmt.Sprintf("%s reaches %s than %s (%s)", c.B, size, c.A, interval)
	}
	size, interval := text.change(*c.Effect, "lower", "higher")
	interval = joined(interval, twinInterval(m, text))
	if text.zero(*c.Effect) {
		return sameClause(m, c, text, interval)
	}
	return fmt.Sprintf("%s: %s is %s than with %s (%s)", c.B, m.Name, size, c.A, interval)
}

// sameClause says an effect that is shown as 0.
func sameClause(m analysis.Metric, c analysis.Comparison, text effectText, interval string) string {
	return fmt.Sprintf("%s: %s differs by %s %s from %s (%s)", c.B, m.Name, prose.Fixed(0, text.decimals), text.unit, c.A, interval)
}

// joined puts a second remark behind the first, if there is one.
func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "; " + second
}

func verdictClause(m analysis.Metric, c analysis.Comparison, text effectText) string {
	margin := text.margin(m)
	switch c.Verdict {
	case stats.Equivalent:
		return fmt.Sprintf("equivalent within a margin of %s", margin)
	case stats.Inconclusive:
		return fmt.Sprintf("inconclusive at a margin of %s; %s", margin, outlook(c))
	}
	return fmt.Sprintf("%s at a margin of %s", c.Verdict, margin)
}

// outlook says what may settle an inconclusive comparison.
func outlook(c analysis.Comparison) string {
	switch {
	case c.Further == 1:
		return "1 more block is likely to settle it"
	case c.Further > 1:
		return fmt.Sprintf("about %d more blocks are likely to settle it", c.Further)
	case c.Open == stats.BeyondForecast:
		return "to settle it takes " + c.Open
	case c.Open != "":
		return c.Open
	}
	return "no forecast"
}

// countVerdicts says how many there are of each, in the order in which readers
// want to know.
func countVerdicts(verdicts []stats.Verdict) []string {
	counts := map[stats.Verdict]int{}
	for _, v := range verdicts {
		counts[v]++
	}
	var parts []string
	for _, v := range []stats.Verdict{stats.Better, stats.Worse, stats.Equivalent, stats.Inconclusive} {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], v))
		}
	}
	return parts
}

// tally counts the verdicts of the primary comparisons, such as
// "1 better, 2 worse".
func tally(a analysis.Analysis) string {
	var verdicts []stats.Verdict
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				if k.Primary {
					verdicts = append(verdicts, k.Verdict)
				}
			}
		}
	}
	parts := countVerdicts(verdicts)
	if n := a.Family - len(verdicts); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not measured", n))
	}
	if len(parts) == 0 {
		return "no primary comparison"
	}
	return fmt.Sprintf("%s (primary comparisons with %s)", strings.Join(parts, ", "), a.Plan.Analysis.Base)
}

// metricTitle says what a metric's numbers are, such as "throughput in Gbit/s,
// higher is better, margin 3 %".
func metricTitle(m analysis.Metric, unit string) string {
	return fmt.Sprintf("%s in %s, %s is better, margin %s", m.Name, unit, m.Better, newEffectText(m).margin(m))
}

// measureOf chooses how to show a metric's values.
func measureOf(m analysis.Metric) measure {
	var values []float64
	for _, arm := range m.Arms {
		for _, s := range arm.Samples {
			values = append(values, s.Value)
		}
	}
	return newMeasure(m.Unit, values)
}

// cellSubtitle says what a cell's scenario and parameters are.
func cellSubtitle(c analysis.Cell) string {
	if len(c.Parameters) == 0 {
		return c.Scenario
	}
	return c.Scenario + ", " + c.Parameters.Description()
}

// cellHeading is a cell's line in text.
func cellHeading(c analysis.Cell) string {
	description := ""
	if len(c.Parameters) > 0 {
		description = c.Parameters.Description()
	}
	return cellTitle(c.ID, c.Scenario, description)
}

// cellTitle names a cell, its scenario where that is another name, and its
// parameters.
func cellTitle(id, scenario, description string) string {
	var parts []string
	if scenario != id {
		parts = append(parts, scenario)
	}
	if description != "" {
		parts = append(parts, description)
	}
	if len(parts) == 0 {
		return id
	}
	return id + " (" + strings.Join(parts, ", ") + ")"
}

// againstBase returns the comparison of a variant with the base, if there is
// one.
func againstBase(m analysis.Metric, variant string) (analysis.Comparison, bool) {
	for _, c := range m.Comparisons {
		if c.AgainstBase && c.B == variant {
			return c, true
		}
	}
	return analysis.Comparison{}, false
}
