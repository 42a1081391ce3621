package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/hack/validation/blocks"
	"github.com/cnibench/cnibench/internal/stats"
)

// twins is what the A/A campaigns say.
type twins struct {
	rows        []blocks.Row
	campaigns   int
	comparisons [][]float64 // ln(b/a) of six blocks each
	differences []float64   // of all blocks
	ps          []float64   // two-sided, against 0, of the comparisons
	stats       stats.Twins
	verdicts    map[stats.Verdict]int
	gates       map[stats.Outcome]int
	blockTime   time.Duration // from one block's start to the next, median
	bitrate     float64       // median of all values, bit/s
}

// level is that of a false alarm.
const level = 0.05

// judgeTwins judges every comparison by itself, as a campaign of six blocks
// would. It fails when there is no whole comparison.
func judgeTwins(t blocks.Table) (twins, error) {
	a, err := t.Column("a")
	if err != nil {
		return twins{}, err
	}
	b, err := t.Column("b")
	if err != nil {
		return twins{}, err
	}
	j := twins{
		rows: t.Rows, campaigns: len(t.Campaigns()), comparisons: t.Comparisons(a, b, comparison),
		verdicts: map[stats.Verdict]int{}, gates: map[stats.Outcome]int{}, blockTime: blockTime(t),
	}
	if j.stats, err = stats.TwinsOf(j.comparisons, level, math.Log1p(margin)); err != nil {
		return twins{}, err
	}
	for _, d := range j.comparisons {
		if err := j.add(d); err != nil {
			return twins{}, err
		}
	}
	j.differences = blocks.Differences(t.Rows, a, b)
	all, err := stats.Summarize(values(t.Rows), 0.95)
	j.bitrate = all.Median
	return j, err
}

func (j *twins) add(d []float64) error {
	p, err := stats.PTwoSided(d, 0)
	if err != nil {
		return err
	}
	verdict, err := verdicts([][]float64{d})
	if err != nil {
		return err
	}
	claims, err := stats.GateOf(d, math.Log1p(margin))
	if err != nil {
		return err
	}
	gates, err := stats.DecideGates([]stats.GateClaims{claims}, stats.VerdictAlpha)
	if err != nil {
		return err
	}
	j.ps = append(j.ps, p)
	j.verdicts[verdict[0]]++
	j.gates[gates[0].Outcome]++
	return nil
}

// verdicts decides a family of comparisons at the margin.
func verdicts(family [][]float64) ([]stats.Verdict, error) {
	claims := make([]stats.Claims, len(family))
	for i, d := range family {
		var err error
		if claims[i], err = stats.ClaimsOf(d, math.Log1p(margin)); err != nil {
			return nil, err
		}
	}
	decisions, err := stats.Decide(claims, stats.VerdictAlpha)
	out := make([]stats.Verdict, len(decisions))
	for i, d := range decisions {
		out[i] = d.Verdict
	}
	return out, err
}

func values(rows []blocks.Row) []float64 {
	var all []float64
	for _, r := range rows {
		for _, v := range r.Values {
			if !math.IsNaN(v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// blockTime is the median time from a block to the next of the same campaign.
func blockTime(t blocks.Table) time.Duration {
	var times []time.Duration
	for i := 1; i < len(t.Rows); i++ {
		if a, b := t.Rows[i-1], t.Rows[i]; a.Campaign == b.Campaign && b.Block == a.Block+1 {
			times = append(times, b.Start.Sub(a.Start))
		}
	}
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// text says what came out, in Markdown. Chance is that of a claim about one
// comparison at this noise though nothing differs.
func (j twins) text(chance float64) string {
	var b strings.Builder
	t := j.stats
	state := fmt.Sprintf("All %d comparisons are done.", t.Comparisons)
	if t.Comparisons < wanted {
		state = fmt.Sprintf("**Partial: %d of %d comparisons so far.** What follows is about these; goals are about all.", t.Comparisons, wanted)
	}
	fmt.Fprintf(&b, "%s Campaigns: %d, each with labs of its own; blocks: %s, measured between %s and %s.\n\n",
		state, j.campaigns, grouped(len(j.rows)), day(j.rows[0].Start), day(j.rows[len(j.rows)-1].Start))
	b.WriteString("| what | goal | measured | |\n|---|---|---|---|\n")
	row := func(what, goal, measured string, met bool) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", what, goal, measured, metText(met, t.Comparisons >= wanted))
	}
	row(fmt.Sprintf("two-sided p against 0 is %.2f or less", level), "in at most 7.5 %",
		fmt.Sprintf("%d of %d: %s, 95 %% interval %s to %s; %s is fair on this grid", t.Alarms.Count, t.Alarms.N, percent(t.Alarms.Share),
			percent(t.Alarms.Interval.Low), percent(t.Alarms.Interval.High), percent(t.Expected)), t.Alarms.Share <= 0.075)
	row("p-values uniform on their grid", "no sign that they are not", uniformity(t.Uniformity), t.Uniformity.Absent == "" && t.Uniformity.P > level)
	row(fmt.Sprintf("`better` or `worse` at margin %.0f %%", 100*margin), "none",
		fmt.Sprintf("%d; %.1f are to be expected of so many at this noise", t.Claimed, chance*float64(t.Comparisons)), t.Claimed == 0)
	row("`regression` of a gate at that margin", "none", fmt.Sprintf("%d", j.gates[stats.Regression]), j.gates[stats.Regression] == 0)
	fmt.Fprintf(&b, "\nThe other verdicts: %d `equivalent`, %d `inconclusive`. The gate: %d passed, %d inconclusive.\n",
		j.verdicts[stats.Equivalent], j.verdicts[stats.Inconclusive], j.gates[stats.Pass], j.gates[stats.Undecided])
	fmt.Fprintf(&b, "\n**Noise**: the paired differences of trials of one second have a standard deviation of %s (95 %% interval %s to %s if they were normal); the robust one is %s. Median throughput: %s. From a block to the next it is %.1f s, with two seconds of load and pausing one lab and resuming the other twice.\n",
		percent(t.Noise.SD), percent(t.Noise.Interval.Low), percent(t.Noise.Interval.High), percent(t.Noise.Robust), bitrate(j.bitrate), j.blockTime.Seconds())
	return b.String()
}

func uniformity(u stats.Uniformity) string {
	if u.Absent != "" {
		return u.Absent
	}
	text := fmt.Sprintf("largest distance %.3f, p = %.2f", u.Distance, u.P)
	if u.OffGrid > 0 {
		text += fmt.Sprintf("; %d of them off the grid, by ties", u.OffGrid)
	}
	return text
}

// metText says whether a goal is met; before everything is measured it only
// says how it looks.
func metText(met, whole bool) string {
	switch {
	case met && whole:
		return "met"
	case whole:
		return "**missed**"
	case met:
		return "so far"
	}
	return "**not so far**"
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }
func bitrate(x float64) string { return fmt.Sprintf("%.2f Gbit/s", x/1e9) }
func day(t time.Time) string   { return t.UTC().Format("2006-01-02 15:04") + " UTC" }
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprintf("%d", n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
