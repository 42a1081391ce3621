package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// estimate is a number with its interval; ends are nil where there are too few
// values for one.
type estimate struct {
	value     float64
	low, high *float64
	n         int    // pairs, or values of the smaller side
	absent    string // why there is no value at all
}

func absent(format string, args ...any) estimate {
	return estimate{absent: fmt.Sprintf(format, args...)}
}

// change is how b differs from a in one metric, as a fraction of a.
func change(m analysis.Metric, a, b string, unpaired bool) estimate {
	return logShift(armOf(m, a), armOf(m, b), unpaired)
}

// logShift compares two arms as a ratio, whatever the metric's own scale is.
func logShift(a, b analysis.Arm, unpaired bool) estimate {
	if e := notAbove0(a, b); e.absent != "" {
		return e
	}
	if unpaired {
		return unpairedShift(logs(a), logs(b))
	}
	d := differences(a, b, func(x, y float64) float64 { return math.Log(y / x) })
	return pairedShift(d).exponential()
}

// notAbove0 is absent where an arm has a value of which there is no ratio.
func notAbove0(arms ...analysis.Arm) estimate {
	for _, arm := range arms {
		for _, s := range arm.Samples {
			if s.Value <= 0 {
				return absent("%s has values that are not above 0, of which there is no ratio", arm.Variant)
			}
		}
	}
	return estimate{}
}

func logs(a analysis.Arm) []float64 {
	xs := make([]float64, len(a.Samples))
	for i, s := range a.Samples {
		xs[i] = math.Log(s.Value)
	}
	return xs
}

// differences pairs two arms by block.
func differences(a, b analysis.Arm, difference func(x, y float64) float64) []float64 {
	var d []float64
	for _, s := range shiftsByBlock(a, b, difference).Samples {
		d = append(d, s.Value)
	}
	return d
}

// shiftsByBlock are the differences of two arms, as an arm of the blocks that
// both have.
func shiftsByBlock(a, b analysis.Arm, difference func(x, y float64) float64) analysis.Arm {
	var shifts analysis.Arm
	for _, x := range a.Samples {
		i := slices.IndexFunc(b.Samples, func(y analysis.Sample) bool { return y.Block == x.Block })
		if i >= 0 {
			shifts.Samples = append(shifts.Samples, analysis.Sample{Block: x.Block, Value: difference(x.Value, b.Samples[i].Value)})
		}
	}
	return shifts
}

func pairedShift(d []float64) estimate {
	if len(d) == 0 {
		return absent("no block has a value of both")
	}
	s, err := stats.PairedShift(d, analysis.Confidence)
	if err != nil {
		return absent("%v", err)
	}
	return newEstimate(s.Estimate, s.Interval, len(d))
}

func unpairedShift(a, b []float64) estimate {
	if len(a) == 0 || len(b) == 0 {
		return absent("one of the two has no value")
	}
	s, err := stats.ShiftBetween(a, b, analysis.Confidence)
	if err != nil {
		return absent("%v", err)
	}
	return newEstimate(s.Estimate, s.Interval, min(len(a), len(b))).exponential()
}

func newEstimate(x float64, i stats.Interval, n int) estimate {
	e := estimate{value: x, n: n}
	if i.Absent == "" && !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) {
		e.low, e.high = &i.Low, &i.High
	}
	return e
}

// exponential turns a shift of logarithms into a change.
func (e estimate) exponential() estimate {
	if e.absent != "" {
		return e
	}
	e.value = math.Expm1(e.value)
	if e.low != nil {
		low, high := math.Expm1(*e.low), math.Expm1(*e.high)
		e.low, e.high = &low, &high
	}
	return e
}

// effectOf is the analysis's own comparison of b against a, on the metric's
// scale, the other way round where it was made so.
func effectOf(m analysis.Metric, a, b string) estimate {
	for _, c := range m.Comparisons {
		turned := c.A == b && c.B == a
		if !turned && (c.A != a || c.B != b) {
			continue
		}
		if c.Effect == nil {
			return absent("%s", orNone(c.Open))
		}
		e := estimate{value: c.Effect.Estimate, n: len(c.Pairs)}
		if c.Unpaired != nil {
			e.n = min(c.Unpaired.A, c.Unpaired.B)
		}
		if i := c.Effect.Interval; i != nil {
			e.low, e.high = &i.Low, &i.High
		}
		if turned {
			return e.inverse(m.Scale)
		}
		return e
	}
	return absent("the results do not compare %s with %s", b, a)
}

// inverse is the effect of a against b.
func (e estimate) inverse(scale result.Scale) estimate {
	turn := func(x float64) float64 { return 0 - x }
	if scale == result.Ratio {
		turn = func(x float64) float64 { return 1/(1+x) - 1 }
	}
	e.value = turn(e.value)
	if e.low != nil {
		low, high := turn(*e.high), turn(*e.low)
		e.low, e.high = &low, &high
	}
	return e
}

// level is an arm's median with its order-statistic interval.
func level(a analysis.Arm) estimate {
	if a.Summary == nil {
		return absent("%s has no value", a.Variant)
	}
	e := estimate{value: a.Summary.Median, n: a.Summary.N}
	if i := a.Summary.Interval; i != nil {
		e.low, e.high = &i.Low, &i.High
	}
	return e
}

func armOf(m analysis.Metric, variant string) analysis.Arm {
	i := slices.IndexFunc(m.Arms, func(a analysis.Arm) bool { return a.Variant == variant })
	if i < 0 {
		return analysis.Arm{Variant: variant}
	}
	return m.Arms[i]
}
