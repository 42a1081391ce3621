package stats

import (
	"fmt"
	"math"
	"strconv"
)

// Interval is a two-sided confidence interval, in the unit of the sample. Its
// ends belong to it.
type Interval struct {
	// Low and High are −Inf and +Inf when the interval is absent: too small a
	// sample excludes nothing. An interval of a quantile may lack one end only,
	// and that of a spread always begins at 0 or above.
	Low, High float64
	// Confidence is the confidence that was asked for, 0.95 for 95 %.
	Confidence float64
	// Coverage is the confidence actually attained, at least Confidence; 1 for
	// an absent interval, not a number for a bootstrap. Order statistics only
	// offer certain steps.
	Coverage float64
	// Absent says why there is no finite interval; empty when there is one.
	Absent string
}

// HalfWidth is half the length of the interval, +Inf when it is absent.
func (iv Interval) HalfWidth() float64 { return (iv.High - iv.Low) / 2 }

// absentInterval is the interval of a sample too small to have one. Of names
// the estimated quantity and unit what a larger sample would have more of.
func absentInterval(confidence float64, unit, of string) Interval {
	need := minBlocks((1 - confidence) / 2)
	iv := unbounded(confidence)
	iv.Absent = fmt.Sprintf("need at least %d %s for a %s %% interval of the %s", need, unit, percent(confidence), of)
	return iv
}

// unbounded is an interval that excludes nothing; its reason is still missing.
func unbounded(confidence float64) Interval {
	return Interval{Low: math.Inf(-1), High: math.Inf(1), Confidence: confidence, Coverage: 1}
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'g', 6, 64) }

func checkConfidence(confidence float64) error {
	if confidence > 0 && confidence < 1 {
		return nil
	}
	return fmt.Errorf("confidence %v is not between 0 and 1", confidence)
}

// medianInterval is the shortest symmetric interval [x_(k), x_(n+1−k)] that
// covers the median with the wanted confidence. Its coverage is
// 1 − 2·P(B ≤ k−1) with B binomial(n, ½) for continuous data, and at least
// that with ties (Hollander, Wolfe and Chicken, section 3.6).
func medianInterval(sorted []float64, confidence float64) Interval {
	n := len(sorted)
	k, tail := medianRank(n, (1-confidence)/2)
	if k == 0 {
		return absentInterval(confidence, "samples", "median")
	}
	return Interval{
		Low:        sorted[k-1],
		High:       sorted[n-k],
		Confidence: confidence,
		Coverage:   1 - 2*tail,
	}
}

// medianRank returns the largest k with P(B ≤ k−1) ≤ alpha, B binomial(n, ½),
// and that probability; k is 0 when there is none.
func medianRank(n int, alpha float64) (k int, tail float64) {
	// Binomial coefficients and their sum, divided by 2^exponent so far: exact
	// for small n, and no overflow for large ones.
	coefficient, sum, exponent := 1.0, 1.0, -n
	for {
		p := math.Ldexp(sum, exponent)
		if p > alpha || k > n/2 {
			return k, tail
		}
		k, tail = k+1, p
		coefficient = coefficient * float64(n-k+1) / float64(k)
		sum += coefficient
		if coefficient > 0x1p500 {
			coefficient, sum, exponent = coefficient*0x1p-500, sum*0x1p-500, exponent+500
		}
	}
}
