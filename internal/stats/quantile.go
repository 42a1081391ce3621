package stats

import (
	"fmt"
	"math"
	"sort"
)

// QuantileEstimate is a quantile of a sample, in the unit of its values.
type QuantileEstimate struct {
	N int
	Q float64 // 0.99 is the 99th percentile
	// Estimate is by linear interpolation between order statistics (type 7 of
	// Hyndman and Fan, The American Statistician 50 (1996) 361: the default of
	// R and NumPy). HarrellDavis is a weighted mean of all order statistics
	// (Biometrika 69 (1982) 635), steadier in small samples.
	Estimate, HarrellDavis float64
	// Interval lies between two order statistics. An end beyond the sample is
	// infinite, and Absent says so; the other end holds all the same.
	Interval Interval
}

// Quantile estimates the quantile q of the law behind xs, with the order-
// statistic interval at the wanted confidence: each end is exceeded with a
// chance of at most (1 − confidence)/2, ties or not. It fails when xs is empty
// or holds a value that is not finite, and when q or confidence is not between
// 0 and 1.
func Quantile(xs []float64, q, confidence float64) (QuantileEstimate, error) {
	sorted, err := sortedSample(xs)
	if err != nil {
		return QuantileEstimate{}, err
	}
	if math.IsNaN(q) || q <= 0 || q >= 1 {
		return QuantileEstimate{}, fmt.Errorf("quantile %v is not between 0 and 1", q)
	}
	if err := checkConfidence(confidence); err != nil {
		return QuantileEstimate{}, err
	}
	return QuantileEstimate{
		N:            len(sorted),
		Q:            q,
		Estimate:     quantileSorted(sorted, q),
		HarrellDavis: harrellDavis(sorted, q),
		Interval:     quantileInterval(sorted, q, confidence),
	}, nil
}

func quantileSorted(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

func harrellDavis(sorted []float64, q float64) float64 {
	n := float64(len(sorted))
	a, b := q*(n+1), (1-q)*(n+1)
	var estimate, below float64
	for i, x := range sorted {
		upTo := betaShare(float64(i+1)/n, a, b)
		estimate += (upTo - below) * x
		below = upTo
	}
	return estimate
}

// quantileInterval is [x_(k), x_(l)] with the largest k for which
// P(B ≤ k−1) ≤ alpha and the smallest l for which P(B ≥ l) ≤ alpha, B
// binomial(n, q) values below the quantile.
func quantileInterval(sorted []float64, q, confidence float64) Interval {
	n, alpha := len(sorted), (1-confidence)/2
	iv := unbounded(confidence)
	k := sort.Search(n, func(k int) bool { return binomialTail(k, n, q) > alpha })
	if k > 0 {
		iv.Low = sorted[k-1]
		iv.Coverage -= binomialTail(k-1, n, q)
	}
	above := func(l int) float64 { return binomialTail(n-l, n, 1-q) } // P(B ≥ l)
	l := 1 + sort.Search(n, func(l int) bool { return above(l+1) <= alpha })
	if l <= n {
		iv.High = sorted[l-1]
		iv.Coverage -= above(l)
	}
	if k == 0 || l > n {
		far := max(q, 1-q) // the end that needs more values
		need := int(math.Ceil(math.Log(alpha) / math.Log(far) * (1 - 1e-12)))
		iv.Absent = fmt.Sprintf("need at least %d values for both ends of a %s %% interval of the %s %% quantile",
			need, percent(confidence), percent(q))
	}
	return iv
}
