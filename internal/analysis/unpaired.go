package analysis

import (
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// compareUnpaired compares two variants as independent samples
// (docs/methodology.md section 4): the Hodges–Lehmann shift between them with
// the interval of the Mann–Whitney test.
func compareUnpaired(m Metric, a, b Arm) (Comparison, error) {
	na, nb := len(a.Samples), len(b.Samples)
	c := Comparison{
		A: a.Variant, B: b.Variant, Pairs: []Pair{}, Band: band(m), Verdict: stats.Inconclusive,
		Unpaired: &Unpaired{A: na, B: nb, SmallestP: 1},
	}
	if na == 0 || nb == 0 {
		c.Open = "one of them has no value"
		return c, nil
	}
	xs, ys := scaled(m.Scale, a.values()), scaled(m.Scale, b.values())
	shift, err := stats.ShiftBetween(xs, ys, Confidence)
	if err != nil {
		return Comparison{}, err
	}
	c.Unpaired.SmallestP = shift.SmallestP
	c.Effect = effect(m.Scale, stats.Shift{Estimate: shift.Estimate, Interval: shift.Interval, Spread: math.NaN()})
	c.Allowance = Allowance(m, a, b)
	claims, err := allowing(func(margin float64) (stats.Claims, error) {
		return stats.ClaimsBetween(oriented(m.Better, xs), oriented(m.Better, ys), margin)
	}, testMargin(m), c.Allowance)
	if err != nil {
		return Comparison{}, err
	}
	c.P = newClaims(claims)
	return c, nil
}

// samplesOf returns a variant's values on the scale of comparisons, oriented
// so that more is better.
func (m Metric) samplesOf(variant string) []float64 {
	for _, arm := range m.Arms {
		if arm.Variant == variant {
			return oriented(m.Better, scaled(m.Scale, arm.values()))
		}
	}
	return nil
}

// scaled puts values on the scale on which their differences are taken.
func scaled(scale result.Scale, xs []float64) []float64 {
	if scale != result.Ratio {
		return xs
	}
	logs := make([]float64, len(xs))
	for i, x := range xs {
		logs[i] = math.Log(x)
	}
	return logs
}

// importWarnings says how imported results were compared, and what is known
// of their source.
func importWarnings(a Analysis, env result.Environment) []result.Warning {
	from := a.Plan.Imported
	if from == nil {
		return nil
	}
	list := []result.Warning{{
		Code:    "imported",
		Message: fmt.Sprintf("another program measured: read from %s as %s; the machines, the order of the trials and what else ran are not known beyond what the source says", from.Source, from.Format),
		Hint:    "environment.json has the digest of what was read",
	}}
	if a.Plan.Unpaired() {
		list = append(list, result.Warning{
			Code:    "unpaired",
			Message: "variants are compared as independent samples: nothing says that they took turns in each block, so drift between them is in every difference",
			Hint:    "import with --interleaved if the source measured every variant once in each block, in turns",
		})
	}
	if env.Import != nil {
		list = append(list, env.Import.Warnings...)
	}
	return list
}

// runWarnings says when no verdict is within reach of an unpaired comparison,
// whatever the values.
func runWarnings(a Analysis) []result.Warning {
	short, compared := 0, 0
	worst := 0.0
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			for _, k := range m.Comparisons {
				if !k.Primary || k.Unpaired == nil || k.Effect == nil {
					continue
				}
				compared++
				if k.Unpaired.SmallestP*float64(max(1, a.Family)) > stats.VerdictAlpha {
					short++
					worst = max(worst, k.Unpaired.SmallestP)
				}
			}
		}
	}
	if short == 0 {
		return nil
	}
	return []result.Warning{{
		Code: "too-few-runs",
		Message: fmt.Sprintf("%d of %d primary comparisons cannot reach a verdict, whatever their values: with so few runs p is at least %.2g, and a family of %d asks for %.2g",
			short, compared, worst, a.Family, stats.VerdictAlpha/float64(max(1, a.Family))),
		Hint: "the intervals and every run's value are shown; a ranking of so few runs is not more than these say",
	}}
}
