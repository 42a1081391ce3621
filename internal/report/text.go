package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Text writes the analysis as tables for a terminal.
func Text(w io.Writer, a analysis.Analysis) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "%s: %s\n", a.Plan.Name, tally(a))
	fmt.Fprintf(b, "%s\nplan %s, seed %d\n", strings.Join(basis(a), ", "), a.Plan.Hash, a.Plan.Seed)
	writeStopping(b, a)
	writeWrapped(b, "", "variants: "+comparing(a))
	for _, q := range answers(a) {
		fmt.Fprintf(b, "\n%s, %s\n", q.Cell, q.Metric)
		for _, f := range q.Findings {
			writeWrapped(b, "  ", f.Text)
		}
	}
	for _, c := range a.Cells {
		fmt.Fprintf(b, "\n%s\n", rule)
		writeWrapped(b, "", cellHeading(c))
		if len(c.Metrics) == 0 {
			fmt.Fprintln(b, "\n  no trial of this cell has a result")
		}
		for _, m := range c.Metrics {
			if !m.Folded() {
				writeMetric(b, m)
			}
		}
		writeDetails(b, c)
	}
	fmt.Fprintf(b, "\n%s\n", rule)
	writeLosses(b, a)
	writeWarnings(b, a.Warnings)
	writeHowToRead(b, a)
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("writing text: %w", err)
	}
	return nil
}

const rule = "────────────────────────────────────────────────────────────────────────────────"

// writeMetric writes the variants as rows, then the pairs without the base.
func writeMetric(b *bytes.Buffer, m analysis.Metric) {
	show, effects := measureOf(m), newEffectText(m)
	base := ""
	t := table{indent: "  ", right: []bool{false, true, true, true, true, true, false}}
	for _, c := range m.Comparisons {
		if c.AgainstBase {
			base = c.A
			break
		}
	}
	t.add("", "n", "median", "95 % interval", "vs "+base, "95 % interval", "verdict")
	for _, arm := range m.Arms {
		row := append([]string{arm.Variant}, armText(show, arm)...)
		if c, ok := againstBase(m, arm.Variant); ok {
			row = append(row, comparisonText(effects, c)...)
		} else if m.AA != nil && m.AA.B == arm.Variant {
			row = append(row, twinText(effects, *m.AA)...)
		} else {
			row = append(row, "base", "", "")
		}
		t.add(row...)
	}
	fmt.Fprintf(b, "\n  %s%s\n", metricTitle(m, show.unit), primaryMark(m))
	t.write(b)
	writeOtherPairs(b, m, effects)
}

func writeOtherPairs(b *bytes.Buffer, m analysis.Metric, effects effectText) {
	t := table{indent: "    ", right: []bool{false, true, true, false}}
	for _, c := range m.Comparisons {
		if !c.AgainstBase {
			t.add(append([]string{c.B + " vs " + c.A}, comparisonText(effects, c)...)...)
		}
	}
	if len(t.rows) > 0 {
		fmt.Fprintln(b, "    other pairs, exploratory")
		t.write(b)
	}
}

func primaryMark(m analysis.Metric) string {
	if m.Primary {
		return "  [primary]"
	}
	return "  [exploratory]"
}

// armText is n, median and interval of an arm.
func armText(show measure, arm analysis.Arm) []string {
	s := arm.Summary
	if s == nil {
		return []string{"0", "–", "no value"}
	}
	interval := "n < 6"
	if s.Interval != nil {
		interval = show.span(s.Interval.Low, s.Interval.High)
	}
	return []string{fmt.Sprint(s.N), show.number(s.Median), interval}
}

// comparisonText is effect, interval and verdict of a comparison.
func comparisonText(t effectText, c analysis.Comparison) []string {
	if c.Effect == nil {
		return []string{"–", "no pairs", "–"}
	}
	verdict := string(c.Verdict)
	switch {
	case c.Further > 0:
		verdict += fmt.Sprintf(" (about %d more)", c.Further)
	case c.Open != "":
		verdict += fmt.Sprintf(" (%s)", c.Open)
	}
	return []string{t.estimate(*c.Effect), t.interval(*c.Effect), verdict}
}

// writeLosses lists what gave no result, by cell and variant, with reasons.
func writeLosses(b *bytes.Buffer, a analysis.Analysis) {
	lost := losses(a)
	if len(lost) == 0 {
		fmt.Fprintf(b, "Trials: all %d gave a result.\n", a.Counts.Planned)
		return
	}
	fmt.Fprintln(b, "Trials without a result")
	t := table{indent: "  ", right: []bool{false, false, false, true, false}}
	for _, l := range lost {
		t.add(l.Cell, l.Variant, l.Status, fmt.Sprint(l.Count), l.Reason+l.where())
	}
	t.write(b)
}

func writeWarnings(b *bytes.Buffer, warnings []result.Warning) {
	if len(warnings) == 0 {
		return
	}
	fmt.Fprintln(b, "\nWarnings")
	for _, warning := range warnings {
		writeWrapped(b, "  ", warning.Code+": "+warning.Message)
		if warning.Hint != "" {
			writeWrapped(b, "    ", "hint: "+warning.Hint)
		}
	}
}

func writeHowToRead(b *bytes.Buffer, a analysis.Analysis) {
	fmt.Fprintln(b, "\nHow to read this")
	for _, line := range howToRead(a) {
		writeWrapped(b, "  ", line)
	}
}

// writeStopping writes where the campaign stopped and why, if it has a rule.
func writeStopping(b *bytes.Buffer, a analysis.Analysis) {
	if text := stopping(a); text != "" {
		writeWrapped(b, "", text)
	}
}

// howToRead explains the numbers, in every format the same.
func howToRead(a analysis.Analysis) []string {
	lines := []string{
		"A sample is one block. The interval after a median is the order-statistic interval of that median; it needs 6 blocks.",
		"An effect is the Hodges–Lehmann estimate of the change against the other variant within blocks. Its 95 % interval is exact (signed-rank) and not adjusted for the number of comparisons.",
		fmt.Sprintf("better and worse: the change exceeds the margin, one-sided at %g. equivalent: it is inside the margin. Primary comparisons are adjusted by Holm as one family; all others are exploratory and not adjusted.", analysis.Alpha(a.Plan)),
		"inconclusive means that neither is shown. It does not mean that the variants are the same. \"about 4 more\" is the number of further blocks likely to settle it.",
	}
	if a.Plan.Unpaired() {
		lines[0] = "A sample is one run of the source. The interval after a median is the order-statistic interval of that median; it needs 6 runs."
		lines[1] = "An effect is the Hodges–Lehmann estimate of the shift between two independent samples. Its 95 % interval is exact (Mann–Whitney) and not adjusted for the number of comparisons."
	}
	if twin := a.Plan.Analysis.AA; twin != nil {
		lines = append(lines, fmt.Sprintf("A/A compares %s with %s, which are the same: its interval is what noise alone does to that metric.", twin.Name, twin.Variant))
	}
	if analysis.Alpha(a.Plan) != stats.VerdictAlpha {
		lines = append(lines, "This campaign looked several times whether its intervals were narrow enough. Verdicts are at a stricter level than the 95 % intervals for that, so that an interval may lie just beyond the margin without a verdict.")
	}
	return lines
}

func writeWrapped(b *bytes.Buffer, indent, text string) { b.WriteString(prose.Paragraph(indent, text)) }
