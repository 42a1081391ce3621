package report

import (
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/stats"
)

// Curve is one variant's line in one cell, of values that only the evidence
// has.
type Curve struct {
	Cell    string       `json:"cell"`
	Variant string       `json:"variant"`
	Unit    string       `json:"unit"`
	Points  []CurveValue `json:"points"`
}

// CurveValue is the median over blocks at one place of a curve: a quantile, a
// number of streams.
type CurveValue struct {
	At       float64            `json:"at"`
	N        int                `json:"n"`
	Median   float64            `json:"median"`
	Interval *analysis.Interval `json:"interval"` // nil: too few blocks
}

// newCurveValue reports false where there is no value, or one that is not
// finite.
func newCurveValue(at float64, values []float64) (CurveValue, bool) {
	s, err := stats.Summarize(values, analysis.Confidence)
	if err != nil {
		return CurveValue{}, false
	}
	v := CurveValue{At: at, N: s.N, Median: s.Median}
	if iv := s.MedianInterval; iv.Absent == "" {
		v.Interval = &analysis.Interval{Low: iv.Low, High: iv.High, Confidence: iv.Confidence, Coverage: iv.Coverage}
	}
	return v, true
}

// point is the value in the unit shown; what it is of stands in its title.
func (v CurveValue) point(show measure, what string) figure.CurvePoint {
	p := figure.CurvePoint{X: v.At, Y: v.Median / show.divisor, Low: math.NaN(), High: math.NaN()}
	span := ""
	if v.Interval != nil {
		p.Low, p.High = v.Interval.Low/show.divisor, v.Interval.High/show.divisor
		span = fmt.Sprintf(" (%s)", show.span(v.Interval.Low, v.Interval.High))
	}
	p.Title = fmt.Sprintf("%s: %s%s, n %d", what, show.with(v.Median), span, v.N)
	return p
}

// stepCurves are the medians of the throughputs with so many streams.
func stepCurves(s Source) []Curve {
	curves := []Curve{}
	for _, c := range s.Analysis.Cells {
		own := stepsOf(c, s.Steps)
		for _, v := range s.Analysis.Plan.Variants {
			if values := stepValues(v.Name, own); len(values) > 0 {
				curves = append(curves, Curve{c.ID, v.Name, "bit/s", values})
			}
		}
	}
	return curves
}
