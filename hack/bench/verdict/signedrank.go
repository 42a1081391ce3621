package main

import (
	"cmp"
	"math"
	"slices"
)

// signedRank is the exact test of internal/stats for differences without ties,
// with its distribution computed once: a simulation asks it a million times.
type signedRank struct {
	atLeast []float64 // chance of a sum of positive ranks of at least so much
}

func newSignedRank(n int) signedRank {
	most := n * (n + 1) / 2
	chance := make([]float64, most+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := most; sum >= 0; sum-- {
			chance[sum] /= 2
			if sum >= rank {
				chance[sum] += chance[sum-rank] / 2
			}
		}
	}
	for sum := most - 1; sum >= 0; sum-- {
		chance[sum] += chance[sum+1]
	}
	return signedRank{chance}
}

// greater is the p-value of "the shift of d is at most m". It sorts d.
func (t signedRank) greater(d []float64, m float64) float64 {
	slices.SortFunc(d, func(a, b float64) int { return cmp.Compare(math.Abs(a-m), math.Abs(b-m)) })
	sum := 0
	for i, x := range d {
		if x > m {
			sum += i + 1
		}
	}
	return t.atLeast[sum]
}
