package report

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
)

// twinInterval is what noise alone does to a metric, such as
// "A/A −0.9 to +1.1 %", to be shown beside a claim; empty without a twin.
func twinInterval(m analysis.Metric, text effectText) string {
	switch {
	case m.AA == nil:
		return ""
	case m.AA.Effect == nil:
		return "A/A not measured"
	case m.AA.Effect.Interval == nil:
		return "A/A has too few blocks"
	}
	return "A/A " + text.interval(*m.AA.Effect)
}

// twinText stands in the place of effect, interval and verdict against the base,
// which the twin is not compared with: all is in the verdict, with the variant
// that it repeats.
func twinText(t effectText, c analysis.Comparison) []string {
	if c.Effect == nil {
		return []string{"", "", "A/A: no value to compare with " + c.A}
	}
	size := t.estimate(*c.Effect)
	if c.Effect.Interval != nil {
		size += " (" + t.interval(*c.Effect) + ")"
	}
	return []string{"", "", fmt.Sprintf("A/A: %s vs %s, %s", size, c.A, c.Verdict)}
}

// stopping says where and why a campaign with a rule for stopping ended, or
// that it has not; empty without a rule.
func stopping(a analysis.Analysis) string {
	rule, s := a.Plan.Stop, a.Stopped
	switch {
	case rule == nil:
		return ""
	case s == nil:
		return fmt.Sprintf("not stopped yet: it looks after %s blocks, and stops when all intervals are narrower than ±%s",
			looks(rule.Looks), percent(rule.HalfWidth))
	}
	reason := fmt.Sprintf("all intervals are narrower than ±%s", percent(s.HalfWidth))
	switch {
	case s.Comparisons == 0:
		reason = "there is no primary comparison whose interval could be looked at"
	case s.Precise < s.Comparisons:
		reason = fmt.Sprintf("the last look; %d of %d intervals are narrower than ±%s", s.Precise, s.Comparisons, percent(s.HalfWidth))
	}
	return fmt.Sprintf("stopped after %d of at most %s: %s", s.Blocks, prose.Plural(s.AtMost, "block"), reason)
}

// looks lists numbers of blocks: "10, 15 or 20".
func looks(list []int) string {
	text := ""
	for i, n := range list {
		switch {
		case i == 0:
		case i == len(list)-1:
			text += " or "
		default:
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}
