package stats

import (
	"fmt"
	"math"
)

// PAtMost returns the p-value of the hypothesis "the shift of d is at most m",
// against the alternative that it is larger, by the exact signed-rank test
// (see the package comment for ties and zeros; beyond 200 pairs by its normal
// approximation). It fails when d is empty or longer than MaxPairs, and when a
// value is not finite.
func PAtMost(d []float64, m float64) (float64, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return 0, err
	}
	if err := checkFinite([]float64{m}); err != nil {
		return 0, fmt.Errorf("shift to test: %w", err)
	}
	return pAtMost(sorted, m), nil
}

// PAtLeast returns the p-value of the hypothesis "the shift of d is at least
// m", against the alternative that it is smaller. It fails as PAtMost does.
func PAtLeast(d []float64, m float64) (float64, error) {
	return PAtMost(negated(d), -m)
}

// PTwoSided returns the two-sided p-value of the hypothesis "the shift of d is
// m": twice the smaller of PAtMost and PAtLeast, and at most 1. It fails as
// they do.
func PTwoSided(d []float64, m float64) (float64, error) {
	atMost, err := PAtMost(d, m)
	if err != nil {
		return 0, err
	}
	atLeast, err := PAtLeast(d, m)
	if err != nil {
		return 0, err
	}
	return min(1, 2*min(atMost, atLeast)), nil
}

// SmallestP is 2⁻ⁿ, the smallest p-value that a one-sided test of n paired
// differences can attain: all of them on one side.
func SmallestP(n int) float64 { return math.Ldexp(1, -n) }

// MinBlocks returns the smallest number of blocks with which any verdict is
// possible for a family of comparisons at one-sided level alpha after Holm:
// the smallest n with 2⁻ⁿ ≤ alpha/family. It fails when alpha is not between 0
// and 1 or family is below 1.
func MinBlocks(alpha float64, family int) (int, error) {
	if err := checkAlpha(alpha); err != nil {
		return 0, err
	}
	if family < 1 {
		return 0, fmt.Errorf("a family of %d comparisons cannot be decided", family)
	}
	return minBlocks(alpha / float64(family)), nil
}

func minBlocks(alpha float64) int {
	n := 1
	for SmallestP(n) > alpha {
		n++
	}
	return n
}

func checkAlpha(alpha float64) error {
	if alpha > 0 && alpha < 1 {
		return nil
	}
	return fmt.Errorf("significance level %v is not between 0 and 1", alpha)
}

// pAtMost is the share of the 2ⁿ sign patterns of d − m, taken immediately
// above m, whose signed-rank sum is at least the observed one. Equivalently,
// that the ranks of a random subset add up to no more than the ranks of the
// negative differences.
func pAtMost(d []float64, m float64) float64 {
	ranks := make([]int, len(d)) // twice the midrank of |d_i − m|
	negative := 0
	for i, a := range d {
		ranks[i] = 1
		for _, b := range d {
			switch {
			case a == b: // d_i itself is one of these
				ranks[i]++
			case farther(a, b, m):
				ranks[i] += 2
			}
		}
		if a <= m {
			negative += ranks[i]
		}
	}
	p, _ := signSumTail(ranks, negative)
	return p
}

// farther reports whether a is farther than b from a point immediately above
// m. It decides on the Walsh average, which the interval's ends are made of,
// so that rounding cannot part test and interval.
func farther(a, b, m float64) bool {
	if midpoint(a, b) > m {
		return a > b
	}
	return a < b
}

// coinSumTail returns P(Σ c_i·w_i ≤ t) for independent fair coins c_i in {0,1}
// and weights w_i ≥ 1. It costs n·t steps and is free of rounding up to n = 53.
func coinSumTail(weights []int, t int) float64 {
	p := make([]float64, t+1) // p[s] = P(sum = s)
	p[0] = 1
	for _, w := range weights {
		for s := t; s >= 0; s-- {
			p[s] /= 2
			if s >= w {
				p[s] += p[s-w] / 2
			}
		}
	}
	var tail float64
	for _, q := range p {
		tail += q
	}
	return min(tail, 1)
}

func negated(d []float64) []float64 {
	neg := make([]float64, len(d))
	for i, x := range d {
		neg[i] = -x
	}
	return neg
}
