package analysis

import (
	"math"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// compareAll compares every pair of variants: first each against the base,
// then the others, in the plan's order.
func compareAll(m Metric, base string, compare comparer) ([]Comparison, error) {
	against, others := []Comparison{}, []Comparison{}
	for i, a := range m.Arms {
		for _, b := range m.Arms[i+1:] {
			first, second := a, b
			if b.Variant == base {
				first, second = b, a
			}
			c, err := compare(m, first, second)
			if err != nil {
				return nil, err
			}
			c.Ceiling = atCeiling(m, first) && atCeiling(m, second)
			if c.AgainstBase = first.Variant == base; c.AgainstBase {
				c.Primary = m.Primary
				against = append(against, c)
			} else {
				others = append(others, c)
			}
		}
	}
	return append(against, others...), nil
}

// comparer estimates how b differs from a. The verdict is left to decide.
type comparer func(m Metric, a, b Arm) (Comparison, error)

// comparerOf pairs the values of a block, unless the plan has no real blocks.
func comparerOf(p plan.Plan) comparer {
	if p.Unpaired() {
		return compareUnpaired
	}
	return compare
}

// compare estimates how b differs from a. The verdict is left to decide.
func compare(m Metric, a, b Arm) (Comparison, error) {
	c := Comparison{A: a.Variant, B: b.Variant, Pairs: pairs(m.Scale, a, b), Band: band(m), Verdict: stats.Inconclusive}
	if len(c.Pairs) == 0 {
		c.Open = "no block has a value of both"
		return c, nil
	}
	d := c.differences()
	shift, err := stats.PairedShift(d, Confidence)
	if err != nil {
		return Comparison{}, err
	}
	c.Effect = effect(m.Scale, shift)
	c.Allowance = Allowance(m, a, b)
	claims, err := allowing(func(margin float64) (stats.Claims, error) { return stats.ClaimsOf(oriented(m.Better, d), margin) }, testMargin(m), c.Allowance)
	if err != nil {
		return Comparison{}, err
	}
	c.P = newClaims(claims)
	return c, nil
}

// pairs matches the samples of two arms by block.
func pairs(scale result.Scale, a, b Arm) []Pair {
	byBlock := make(map[int]float64, len(a.Samples))
	for _, s := range a.Samples {
		byBlock[s.Block] = s.Value
	}
	list := []Pair{}
	for _, s := range b.Samples {
		if av, ok := byBlock[s.Block]; ok {
			list = append(list, Pair{s.Block, av, s.Value, difference(scale, av, s.Value)})
		}
	}
	return list
}

// difference is ln(b/a) on the ratio scale, b − a otherwise.
func difference(scale result.Scale, a, b float64) float64 {
	if scale == result.Ratio {
		return math.Log(b / a)
	}
	return b - a
}

func (c Comparison) differences() []float64 {
	d := make([]float64, len(c.Pairs))
	for i, p := range c.Pairs {
		d[i] = p.Difference
	}
	return d
}

// oriented turns differences so that positive is better.
func oriented(better result.Better, d []float64) []float64 {
	if better == result.Higher {
		return d
	}
	turned := make([]float64, len(d))
	for i, x := range d {
		turned[i] = 0 - x
	}
	return turned
}

// testMargin is the margin on the scale of the differences.
func testMargin(m Metric) float64 {
	if m.Scale == result.Ratio {
		return math.Log1p(m.Margin)
	}
	return m.Margin
}

// effect turns a shift of differences into what is shown.
func effect(scale result.Scale, s stats.Shift) *Effect {
	show := func(x float64) float64 { return x }
	if scale == result.Ratio {
		show = math.Expm1
	}
	e := &Effect{Estimate: show(s.Estimate), Interval: interval(s.Interval), Spread: finite(s.Spread)}
	if e.Interval != nil {
		e.Interval.Low, e.Interval.High = show(e.Interval.Low), show(e.Interval.High)
	}
	return e
}

func band(m Metric) Band {
	if m.Scale == result.Ratio {
		return Band{Low: math.Expm1(-math.Log1p(m.Margin)), High: m.Margin}
	}
	return Band{Low: -m.Margin, High: m.Margin}
}

func newClaims(c stats.Claims) *Claims {
	return &Claims{Better: c.Better, Worse: c.Worse, Equivalent: c.Equivalent}
}
