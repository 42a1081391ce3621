package export

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/junit"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// JUnit writes two test suites: trials, with a test for each variant in each
// cell, and verdicts, with one for each primary comparison. A test of trials
// fails if one of them failed for good, has an error if one is invalid or was
// never attempted, and is skipped if the variant cannot do it. A test of a
// verdict passes when the campaign could tell, whatever it told, and is skipped
// when it could not: whether worse is too bad is for `cnibench gate` to say.
func JUnit(ctx context.Context, w io.Writer, s Source, o Options) (Outcome, error) {
	var outcome Outcome
	trials := junit.Suite{Name: s.Analysis.Plan.Name + ": trials", Began: s.began(), Properties: s.properties()}
	for _, c := range s.Analysis.Cells {
		for _, v := range s.Analysis.Plan.Variants {
			if o.Only.trial(v.Name, c.ID) {
				trials.Cases = append(trials.Cases, s.trialsCase(v.Name, c, &outcome))
			}
		}
	}
	for _, warning := range s.Analysis.Warnings {
		trials.Output = append(trials.Output, warning.Code+": "+warning.Message)
	}
	verdicts := junit.Suite{Name: s.Analysis.Plan.Name + ": verdicts", Began: s.began(), Properties: s.properties()}
	for _, c := range s.Analysis.Cells {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				if k.Primary && o.Only.cell(c.ID) && o.Only.comparison(k.A, k.B) {
					verdicts.Cases = append(verdicts.Cases, s.verdictCase(c, m, k))
				}
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return outcome, err
	}
	return outcome, junit.Write(w, "cnibench export", trials, verdicts)
}

func (s Source) properties() []junit.Property {
	return []junit.Property{
		{Name: "plan", Value: s.Analysis.Plan.Hash},
		{Name: "base", Value: s.Analysis.Plan.Analysis.Base},
		{Name: "blocks", Value: strconv.Itoa(len(s.Analysis.Blocks()))},
		{Name: "family", Value: strconv.Itoa(s.Analysis.Family)},
	}
}

// kinds are what can be wrong with a variant's trials in a cell, the gravest
// first.
var kinds = []string{string(result.Failed), string(result.Invalid), "missing", string(result.Unsupported)}

// trialsCase is one variant in one cell.
func (s Source) trialsCase(variant string, c analysis.Cell, outcome *Outcome) junit.Case {
	j := junit.Case{Class: junit.Class(s.Analysis.Plan.Name, variant), Name: c.ID}
	lines := map[string][]string{}
	attempts := attemptsOf(s.Trials, variant, c.ID)
	outcome.Attempts += len(attempts)
	decisive := map[int]int{}
	for _, t := range attempts {
		decisive[t.Block] = max(decisive[t.Block], t.Attempt)
	}
	for _, t := range attempts {
		if !t.End.IsZero() {
			j.Took += max(t.End.Sub(t.Start), time.Duration(0))
		}
		if t.Status == result.OK {
			continue
		}
		line := fmt.Sprintf("block %d, attempt %d: %s: %s", t.Block, t.Attempt, t.Status, t.Reason)
		if decisive[t.Block] > t.Attempt {
			j.Output = append(j.Output, line+" (measured again)")
			continue
		}
		lines[string(t.Status)] = append(lines[string(t.Status)], line)
	}
	for _, m := range s.Analysis.Missing {
		if m.Variant == variant && m.Cell == c.ID {
			lines["missing"] = append(lines["missing"], fmt.Sprintf("block %d: missing: %s", m.Block, s.Analysis.WhyMissing()))
		}
	}
	judge(&j, lines, okBlocks(variant, c))
	return j
}

// judge says the gravest of what is wrong in a test case, and all of it.
func judge(j *junit.Case, lines map[string][]string, ok string) {
	var worst string
	var all []string
	for _, kind := range kinds {
		if len(lines[kind]) > 0 && worst == "" {
			worst = kind
		}
		all = append(all, lines[kind]...)
	}
	j.Output = append(j.Output, ok)
	if worst == "" {
		return
	}
	message := lines[worst][0]
	if more := len(all) - 1; more > 0 {
		message += fmt.Sprintf("; and %d more", more)
	}
	said := &junit.Said{Message: message, Type: worst, Text: all}
	switch worst {
	case string(result.Failed):
		j.Failure = said
	case string(result.Unsupported):
		j.Skipped = said
	default:
		j.Error = said
	}
}

// okBlocks counts a variant's trials that gave a result.
func okBlocks(variant string, c analysis.Cell) string {
	for _, o := range c.Outcomes {
		if o.Variant == variant {
			return fmt.Sprintf("%d of %s ok", o.OK, prose.Plural(o.Planned, "trial"))
		}
	}
	return "not planned"
}

// attemptsOf lists the attempts at a variant in a cell.
func attemptsOf(trials []result.Trial, variant, cell string) []result.Trial {
	var list []result.Trial
	for _, t := range trials {
		if t.Variant == variant && t.Cell == cell {
			list = append(list, t)
		}
	}
	return list
}

// verdictCase is one primary comparison.
func (s Source) verdictCase(c analysis.Cell, m analysis.Metric, k analysis.Comparison) junit.Case {
	text := verdictText(m, k)
	j := junit.Case{Class: junit.Class(s.Analysis.Plan.Name, k.B), Name: c.ID + "/" + m.Name + " against " + k.A, Output: []string{text}}
	if k.Effect == nil || k.Verdict == stats.Inconclusive {
		j.Skipped = &junit.Said{Message: text}
	}
	return j
}

// verdictText states a comparison in the metric's own unit, or in per cent.
func verdictText(m analysis.Metric, k analysis.Comparison) string {
	if k.Effect == nil {
		return joined("not measured", k.Open)
	}
	show := func(x float64) string { return prose.Signed(100*x, 2) + " %" }
	margin := prose.Fixed(100*m.Margin, 2) + " %"
	if m.Scale == result.Difference {
		show = func(x float64) string { return strings.TrimSpace(strconv.FormatFloat(x, 'g', 6, 64) + " " + m.Unit) }
		margin = strings.TrimSpace(strconv.FormatFloat(m.Margin, 'g', 6, 64) + " " + m.Unit)
	}
	interval := "no interval"
	if i := k.Effect.Interval; i != nil {
		interval = fmt.Sprintf("95 %% interval %s to %s", show(i.Low), show(i.High))
	}
	text := fmt.Sprintf("%s: %s, %s, %s, margin %s", k.Verdict, show(k.Effect.Estimate), interval, compared(k), margin)
	if k.Further > 0 {
		return joined(text, "about "+prose.Plural(k.Further, "more block"))
	}
	return joined(text, k.Open)
}

// compared counts what a comparison rests on.
func compared(k analysis.Comparison) string {
	if k.Unpaired != nil {
		return fmt.Sprintf("%d values against %d", k.Unpaired.B, k.Unpaired.A)
	}
	return prose.Plural(len(k.Pairs), "pair")
}

func joined(text, more string) string {
	if more == "" {
		return text
	}
	return text + "; " + more
}
