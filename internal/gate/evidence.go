package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// test computes what the values say and returns the claims, or nil when they
// say nothing; Reason then says why.
func (t *target) test() (*stats.GateClaims, error) {
	t.summarize()
	if t.now.arm == nil {
		t.Reason = t.now.lack
		return nil, nil
	}
	var claims stats.GateClaims
	var err error
	switch {
	case t.Bound != "":
		claims, err = t.againstLimit()
	case t.other.arm == nil:
		t.Reason = t.opponent() + " has no values: " + t.other.lack
		return nil, nil
	case t.paired:
		d := t.differences()
		if t.N = len(d); t.N == 0 {
			t.Reason = "no block has a value of both"
			return nil, nil
		}
		t.allow()
		claims, err = t.withinBlocks(d)
	case !comparable(t.now.metric.Metric, t.other.metric.Metric):
		a, b := t.other.metric, t.now.metric
		t.Reason = fmt.Sprintf("the baseline has it in %q (%s is better, %s), this campaign in %q (%s is better, %s)", a.Unit, a.Better, a.Scale, b.Unit, b.Better, b.Scale)
		return nil, nil
	default:
		t.allow()
		claims, err = t.betweenSamples()
	}
	if err != nil {
		return nil, fmt.Errorf("testing %s of %s in %s: %w", t.Metric, t.Variant, t.Cell, err)
	}
	t.P = &Claims{claims.NotWorse, claims.Worse}
	return &claims, nil
}

func comparable(a, b result.Metric) bool {
	return a.Unit == b.Unit && a.Better == b.Better && a.Scale == b.Scale
}

func (t *target) opponent() string {
	if t.within {
		return "the base"
	}
	return "the baseline"
}

// summarize describes the variant's values and what is to be known of them.
func (t *target) summarize() {
	if a := t.now.arm; a != nil {
		t.N = len(a.Samples)
		t.Median, t.MedianInterval = &a.Summary.Median, a.Summary.Interval
	}
	t.note("this variant", t.now)
	if t.Bound == "" {
		t.note(t.opponent(), t.other)
	}
}

// note says how many values are marked or partial.
func (t *target) note(whose string, v values) {
	if v.arm == nil {
		return
	}
	counts := map[string]int{}
	var order []string
	for _, s := range v.arm.Samples {
		said := s.Marks
		if s.Partial != "" {
			said = append(slices.Clone(said), "partial ("+s.Partial+")")
		}
		for _, mark := range said {
			if counts[mark]++; counts[mark] == 1 {
				order = append(order, mark)
			}
		}
	}
	slices.Sort(order)
	for _, mark := range order {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d values of %s are %s", counts[mark], len(v.arm.Samples), whose, mark))
	}
}

// differences are those within blocks: ln(B/A) or B − A.
func (t *target) differences() []float64 {
	base := map[int]float64{}
	for _, s := range t.other.arm.Samples {
		base[s.Block] = s.Value
	}
	var d []float64
	for _, s := range t.now.arm.Samples {
		a, both := base[s.Block]
		switch {
		case !both:
		case t.Scale == result.Ratio:
			d = append(d, math.Log(s.Value/a))
		default:
			d = append(d, s.Value-a)
		}
	}
	return d
}

func (t *target) withinBlocks(d []float64) (stats.GateClaims, error) {
	shift, err := stats.PairedShift(d, analysis.Confidence)
	if err != nil {
		return stats.GateClaims{}, err
	}
	t.setEffect(shift.Estimate, shift.Interval)
	return stats.GateOf(t.oriented(d), t.testMargin())
}

func (t *target) betweenSamples() (stats.GateClaims, error) {
	a, b := t.scaled(t.other.arm), t.scaled(t.now.arm)
	t.OtherN = len(a)
	shift, err := stats.ShiftBetween(a, b, analysis.Confidence)
	if err != nil {
		return stats.GateClaims{}, err
	}
	t.setEffect(shift.Estimate, shift.Interval)
	return stats.GateBetween(t.oriented(a), t.oriented(b), t.testMargin())
}

func (t *target) againstLimit() (stats.GateClaims, error) { return stats.GateOf(t.aboveLimit(), 0) }

// aboveLimit is how far each block is on the right side of the limit.
func (t *target) aboveLimit() []float64 {
	var d []float64
	for _, s := range t.now.arm.Samples {
		x := s.Value - *t.Limit
		if t.Scale == result.Ratio {
			x = math.Log(s.Value / *t.Limit)
		}
		if t.Bound == Max {
			x = 0 - x
		}
		d = append(d, x)
	}
	return d
}

// scaled are the values on the scale on which they are compared.
func (t *target) scaled(arm *analysis.Arm) []float64 {
	var xs []float64
	for _, s := range arm.Samples {
		x := s.Value
		if t.Scale == result.Ratio {
			x = math.Log(x)
		}
		xs = append(xs, x)
	}
	return xs
}

// oriented turns values so that more is better.
func (t *target) oriented(xs []float64) []float64 {
	if t.Better == result.Higher {
		return xs
	}
	turned := make([]float64, len(xs))
	for i, x := range xs {
		turned[i] = 0 - x
	}
	return turned
}

// allow widens the margin by what differs between installations, where blocks
// do not sample them.
func (t *target) allow() {
	m := *t.now.metric
	m.Once = m.Once || t.other.metric.Once
	t.Allowance = analysis.Allowance(m, *t.other.arm, *t.now.arm)
}

// testMargin is the margin on the scale of the differences, with the allowance.
func (t *target) testMargin() float64 {
	if t.Scale == result.Ratio {
		return math.Log1p(*t.Margin)
	}
	return *t.Margin + t.Allowance
}

func (t *target) setEffect(estimate float64, iv stats.Interval) {
	back := func(x float64) float64 { return x }
	if t.Scale == result.Ratio {
		back = math.Expm1
	}
	t.Effect = &analysis.Effect{Estimate: back(estimate)}
	if iv.Absent == "" {
		t.Effect.Interval = &analysis.Interval{Low: back(iv.Low), High: back(iv.High), Confidence: iv.Confidence, Coverage: iv.Coverage}
	}
}

// block keeps a variant whose trials failed from passing: the values are those
// of the trials in which it worked.
func (t *target) block() {
	if t.failed != "" && t.Outcome == stats.Pass {
		t.Outcome, t.Reason = stats.Undecided, "what was measured would pass, but "+t.failed
	}
}

// forecast says how many further blocks are likely to decide.
func (t *target) forecast(alpha float64) error {
	if t.Outcome != stats.Undecided || t.P == nil || t.Reason != "" {
		return nil
	}
	var f stats.Forecast
	var err error
	switch {
	case t.Bound != "":
		f, err = stats.FurtherBlocksToGate(t.aboveLimit(), 0, alpha)
	case t.paired:
		f, err = stats.FurtherBlocksToGate(t.oriented(t.differences()), t.testMargin(), alpha)
	default:
		f, err = stats.FurtherBetweenToGate(t.oriented(t.scaled(t.other.arm)), t.oriented(t.scaled(t.now.arm)), t.testMargin(), alpha)
	}
	if err != nil {
		return fmt.Errorf("forecasting %s of %s in %s: %w", t.Metric, t.Variant, t.Cell, err)
	}
	t.Further, t.Unforeseen = f.Blocks, f.Unknown != ""
	switch {
	case f.Unknown == "":
	case t.N < 2 || t.OtherN == 1:
		t.Reason = f.Unknown + " blocks decide it"
	default:
		t.Reason = "to decide it takes " + f.Unknown
	}
	return nil
}

// valuesOf finds a variant's values of a metric, or why there are none.
func valuesOf(a analysis.Analysis, cell, metric, variant string) values {
	c := cellOf(a, cell)
	if c == nil {
		return values{lack: "it has no cell " + cell}
	}
	v := values{metric: metricOf(c, metric)}
	i := slices.IndexFunc(c.Outcomes, func(o analysis.Outcome) bool { return o.Variant == variant })
	if i < 0 {
		v.lack = "it has no variant " + variant
		return v
	}
	if v.metric != nil {
		for j := range v.metric.Arms {
			if arm := &v.metric.Arms[j]; arm.Variant == variant && len(arm.Samples) > 0 {
				v.arm = arm
				return v
			}
		}
	}
	v.lack = lack(a, *c, c.Outcomes[i], metric)
	return v
}

// lack says why a variant has no value of a metric.
func lack(a analysis.Analysis, c analysis.Cell, o analysis.Outcome, metric string) string {
	for _, g := range c.Gaps {
		if g.Variant == o.Variant && g.Metric == metric {
			return "it was not measured: " + g.Reason
		}
	}
	if o.OK > 0 {
		return "its trials do not report the metric"
	}
	text := fmt.Sprintf("no trial gave a result (%s)", o.Losses())
	for _, d := range a.Dropped {
		if d.Variant == o.Variant && d.Cell == c.ID && !d.Replaced {
			return text + ": " + d.Reason
		}
	}
	return text
}

// failures says how many of a variant's trials in a cell failed, and why the
// first did; empty when none did.
func failures(a analysis.Analysis, cell, variant string) string {
	c := cellOf(a, cell)
	if c == nil {
		return ""
	}
	for _, o := range c.Outcomes {
		if o.Variant != variant || o.Failed == 0 {
			continue
		}
		for _, d := range a.Dropped {
			if d.Variant == variant && d.Cell == cell && !d.Replaced && d.Status == result.Failed {
				return strings.TrimSuffix(fmt.Sprintf("%d of %d trials failed: %s", o.Failed, o.Planned, d.Reason), ": ")
			}
		}
		return fmt.Sprintf("%d of %d trials failed", o.Failed, o.Planned)
	}
	return ""
}
