package claims

import (
	"math"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// otherMargin widens a claimed ratio of a metric that is not compared as one.
const otherMargin = 0.05

// span is what a claim allows, on the scale of an estimate.
type span struct{ low, high float64 }

// decide holds an interval against what is claimed: confirmed if all of it is
// inside, contradicted if all of it is outside, undecided otherwise. A mere
// estimate decides nothing.
func (s span) decide(e estimate) State {
	switch {
	case e.low == nil:
		return Undecided
	case *e.low >= s.low && *e.high <= s.high:
		return Confirmed
	case *e.high < s.low || *e.low > s.high:
		return Contradicted
	}
	return Undecided
}

// ratioSpan is a claimed change, wider by what rounding leaves open and by the
// metric's margin: who is that close is right. An open end has no margin.
func ratioSpan(n Number, m analysis.Metric) span {
	margin := otherMargin
	if m.Scale == result.Ratio {
		margin = m.Margin
	}
	s := span{n.Low, n.High}
	if math.IsInf(n.High, 1) || math.IsInf(n.Low, -1) {
		return s
	}
	s.low = (1+n.Low-n.Half)/(1+margin) - 1
	s.high = (1+n.High+n.Half)*(1+margin) - 1
	return s
}

// levelSpan is a claimed amount in the metric's unit, widened in the same way.
func levelSpan(n Number, m analysis.Metric) span {
	s := span{n.Low, n.High}
	if math.IsInf(n.High, 1) || math.IsInf(n.Low, -1) {
		return s
	}
	if m.Scale == result.Ratio {
		return span{(n.Low - n.Half) / (1 + m.Margin), (n.High + n.Half) * (1 + m.Margin)}
	}
	return span{n.Low - n.Half - m.Margin, n.High + n.Half + m.Margin}
}

// betterSpan is "better by more than the margin", on the metric's scale.
func betterSpan(m analysis.Metric, band analysis.Band) span {
	if m.Better == result.Lower {
		return span{math.Inf(-1), band.Low}
	}
	return span{band.High, math.Inf(1)}
}

// alikeSpan is "no further apart than that", or than the margin.
func alikeSpan(within float64, band analysis.Band, m analysis.Metric) span {
	if within > 0 && m.Scale == result.Ratio {
		return span{math.Expm1(-math.Log1p(within)), within}
	}
	return span{band.Low, band.High}
}

// bandOf is where an effect is too small to matter.
func bandOf(m analysis.Metric) analysis.Band {
	if m.Scale == result.Ratio {
		return analysis.Band{Low: math.Expm1(-math.Log1p(m.Margin)), High: m.Margin}
	}
	return analysis.Band{Low: -m.Margin, High: m.Margin}
}
