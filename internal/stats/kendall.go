package stats

import (
	"fmt"
	"math"
	"slices"
)

// exactKendallMax is the sample size up to which the null distribution of
// Kendall's statistic is computed exactly; the normal one is good far earlier.
const exactKendallMax = 60

// Trend is the rank correlation of values with time or position.
type Trend struct {
	N int
	// Tau is Kendall's tau-b, from −1 to 1, and P its two-sided p-value. Both
	// are not numbers when Absent says why.
	Tau, P float64
	Absent string
}

// Kendall returns Kendall's tau-b of x and y with a two-sided p-value: exact
// without ties up to n = 60, otherwise from the normal approximation with the
// variance corrected for ties (Kendall, Rank Correlation Methods, 4th ed.
// 1970), which is rough for n below 10. It fails when x and y differ in length
// or hold a value that is not finite.
func Kendall(x, y []float64) (Trend, error) {
	if len(x) != len(y) {
		return Trend{}, fmt.Errorf("%d values cannot be paired with %d", len(x), len(y))
	}
	for _, values := range [][]float64{x, y} {
		if err := checkFinite(values); err != nil {
			return Trend{}, err
		}
	}
	trend := Trend{N: len(x), Tau: math.NaN(), P: math.NaN()}
	if trend.N < 2 {
		trend.Absent = "need at least 2 values for a trend"
		return trend, nil
	}
	n := float64(trend.N)
	tiesX, tiesY := countTies(x), countTies(y)
	pairs := n * (n - 1) / 2
	if tiesX.pairs == pairs || tiesY.pairs == pairs {
		trend.Absent = "all values are equal"
		return trend, nil
	}
	score := kendallScore(x, y)
	trend.Tau = float64(score) / math.Sqrt((pairs-tiesX.pairs)*(pairs-tiesY.pairs))
	if tiesX.pairs == 0 && tiesY.pairs == 0 && trend.N <= exactKendallMax {
		trend.P = exactKendallP(trend.N, score)
	} else {
		z := float64(score) / math.Sqrt(scoreVariance(n, tiesX, tiesY))
		trend.P = math.Erfc(math.Abs(z) / math.Sqrt2)
	}
	return trend, nil
}

// kendallScore is the number of concordant pairs less the discordant ones.
func kendallScore(x, y []float64) int {
	score := 0
	for i := range x {
		for j := range i {
			switch {
			case x[i] == x[j] || y[i] == y[j]:
			case (x[i] > x[j]) == (y[i] > y[j]):
				score++
			default:
				score--
			}
		}
	}
	return score
}

// exactKendallP is twice the smaller tail of the number of inversions in a
// random order of n distinct values.
func exactKendallP(n, score int) float64 {
	pairs := n * (n - 1) / 2
	fewest := (pairs - max(score, -score)) / 2 // of concordant or discordant pairs
	p := make([]float64, fewest+1)             // p[s] = P(s inversions)
	p[0] = 1
	for i := 2; i <= n; i++ { // the i-th value adds 0 … i−1 of them, equally likely
		next := make([]float64, len(p))
		for s := range next {
			for _, q := range p[max(0, s-i+1) : s+1] {
				next[s] += q / float64(i)
			}
		}
		p = next
	}
	var tail float64
	for _, q := range p {
		tail += q
	}
	return min(1, 2*tail)
}

// ties sums over the groups of t equal values.
type ties struct {
	pairs    float64 // t(t−1)/2
	triples  float64 // t(t−1)(t−2)
	variance float64 // t(t−1)(2t+5)
}

func countTies(values []float64) ties {
	sorted := slices.Sorted(slices.Values(values))
	var sum ties
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end] == sorted[start] {
			end++
		}
		t := float64(end - start)
		sum.pairs += t * (t - 1) / 2
		sum.triples += t * (t - 1) * (t - 2)
		sum.variance += t * (t - 1) * (2*t + 5)
		start = end
	}
	return sum
}

// scoreVariance is the variance of kendallScore in random order, n ≥ 3.
func scoreVariance(n float64, x, y ties) float64 {
	m := n * (n - 1)
	return (m*(2*n+5)-x.variance-y.variance)/18 +
		2*x.pairs*y.pairs/m +
		x.triples*y.triples/(9*m*(n-2))
}
