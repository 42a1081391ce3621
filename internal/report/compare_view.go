package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// compareView is what people see of comparisons, in text and Markdown.
type compareView struct {
	Title string
	Intro []string
	Cells []compareCell
	// Differences has a head and a row for each difference of environment.
	Differences [][]string
	Omitted     []string
	Legend      []string
}

type compareCell struct {
	Title   string
	Metrics []compareTable
	Others  string // what was measured and is not shown
}

// compareTable holds one metric: variants, then pairs without the base.
type compareTable struct {
	Title string
	Rows  [][]string // the first is the head
	Right []bool     // columns of numbers
	Pairs [][]string // nil without any
	Notes []string
}

func viewCompared(c analysis.Compared) compareView {
	v := compareView{Title: compareTitle(c), Intro: compareIntro(c), Legend: compareLegend(c)}
	for _, cell := range c.Cells {
		shown := compareCell{Title: cellTitle(cell.ID, cell.Scenario, cell.Description)}
		for _, m := range cell.Metrics {
			if !m.Folded() {
				shown.Metrics = append(shown.Metrics, viewMetric(c, m))
			}
		}
		if len(cell.Others) > 0 {
			shown.Others = "also measured: " + strings.Join(cell.Others, ", ") + " (--only METRIC or --all-metrics)"
		}
		v.Cells = append(v.Cells, shown)
	}
	for _, d := range c.Differences {
		if v.Differences == nil {
			v.Differences = [][]string{{"what", "A", "B", "where"}}
		}
		v.Differences = append(v.Differences, []string{d.Name, shortDigest(d.A), shortDigest(d.B), d.Where()})
	}
	v.Omitted = omissionTexts(c.Omitted)
	return v
}

var digests = regexp.MustCompile(`sha256:[0-9a-f]{12}[0-9a-f]+`)

// shortDigest cuts digests so that a line can be read; JSON has them whole.
func shortDigest(value string) string {
	return digests.ReplaceAllStringFunc(value, func(d string) string { return d[:len("sha256:")+12] })
}

// omissionTexts says what was not compared, metrics of one cell with the same
// reason together.
func omissionTexts(list []analysis.Omission) []string {
	var order []analysis.Omission // without metric
	metrics := map[analysis.Omission][]string{}
	for _, o := range list {
		key := analysis.Omission{Cell: o.Cell, Variant: o.Variant, Reason: o.Reason}
		if _, seen := metrics[key]; !seen {
			order = append(order, key)
		}
		metrics[key] = append(metrics[key], o.Metric)
	}
	var lines []string
	for _, o := range order {
		parts := append([]string{o.Variant, o.Cell}, metrics[o]...)
		parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
		lines = append(lines, strings.Join(parts, ", ")+": "+o.Reason)
	}
	return lines
}

func compareTitle(c analysis.Compared) string {
	if len(c.Campaigns) == 1 {
		return c.Campaigns[0].Name
	}
	return c.Campaigns[1].Name + " compared with " + c.Campaigns[0].Name
}

func compareIntro(c analysis.Compared) []string {
	var lines []string
	for i, campaign := range c.Campaigns {
		name := "campaign"
		if len(c.Campaigns) > 1 {
			name = []string{"A, the first", "B, the second"}[i]
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s of %d trials ok, plan %s", name, prose.Plural(campaign.Blocks, "block"),
			fmt.Sprint(campaign.Counts.OK), campaign.Counts.Planned, shortDigest(campaign.Plan)))
	}
	lines = append(lines, "compared: "+howCompared(c))
	if c.Exploratory != "" {
		return append(lines, "all exploratory: "+c.Exploratory)
	}
	return append(lines, fmt.Sprintf("%s, adjusted by Holm: %s", prose.Plural(c.Family, "primary comparison"), tallyCompared(c)))
}

func howCompared(c analysis.Compared) string {
	if len(c.Campaigns) > 1 {
		return strings.Join(sidesCompared(c), ", ") + ", as independent samples"
	}
	how := "each variant with " + c.Base
	if c.AllPairs {
		how = "all pairs of variants"
	}
	if c.Paired {
		return how + ", within blocks"
	}
	return how + ", as independent samples"
}

// sidesCompared says which variants of B are compared with which of A.
func sidesCompared(c analysis.Compared) []string {
	var same, mapped []string
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			for _, r := range m.Rows {
				if pair := r.B + " with " + r.A; r.A == r.B {
					same = []string{"each variant of B with the same of A"}
				} else if !slices.Contains(mapped, pair) {
					mapped = append(mapped, pair)
				}
			}
		}
	}
	if len(same)+len(mapped) == 0 {
		return []string{"each variant of B with the same of A"} // and nothing was measured
	}
	return append(same, mapped...)
}

// tallyCompared counts the verdicts of the primary comparisons that are shown.
func tallyCompared(c analysis.Compared) string {
	var verdicts []stats.Verdict
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			for _, r := range m.Rows {
				if r.Primary {
					verdicts = append(verdicts, r.Verdict)
				}
			}
		}
	}
	parts := countVerdicts(verdicts)
	if n := c.Family - len(verdicts); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not measured or not shown", n))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func compareLegend(c analysis.Compared) []string {
	legend := []string{
		"better, worse: the change exceeds the margin; equivalent: it lies within; inconclusive: neither is shown, which does not mean that there is no change. \"about 4 more\" is the number of further blocks likely to settle it.",
		"The change is the Hodges–Lehmann estimate. Its 95 % interval is not adjusted for the number of comparisons; verdicts of primary comparisons are, those of exploratory ones are not.",
	}
	if len(c.Campaigns) > 1 {
		return append(legend, "Welch is the change of the means (geometric ones for ratios) with its two-sided p, as a second opinion; it decides nothing.")
	}
	for _, cell := range c.Cells {
		for _, m := range cell.Metrics {
			if m.Groups != nil && m.Groups.Absent == "" {
				return append(legend, "Variants with a letter in common were not shown to differ by more than the margin, adjusted for all pairs of the metric. That is no proof that they are equal.")
			}
		}
	}
	return legend
}

// marksText names the marks of an arm's samples, such as "cpu-saturated 6/6".
func marksText(arm analysis.ComparedArm) string {
	var parts []string
	for _, mark := range arm.Marks {
		parts = append(parts, fmt.Sprintf("%s %d/%d", mark.Name, mark.Samples, arm.Summary.N))
	}
	return strings.Join(parts, ", ")
}

// environmentShown is how many differences stand beside a comparison.
const environmentShown = 2

// environmentText names what was not the same for both sides.
func environmentText(r analysis.ComparedRow) string {
	names := r.Environment
	if more := len(names) - environmentShown; more > 1 {
		names = append(slices.Clone(names[:environmentShown]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
