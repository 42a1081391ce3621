package stats

import (
	"fmt"
	"math"
	"slices"
)

// Zeros says what the Wilcoxon test does with differences that are zero.
type Zeros int

const (
	// PrattZeros ranks them with the others and then leaves them out, so that
	// they shrink what the others say (Pratt, JASA 54 (1959) 655).
	PrattZeros Zeros = iota
	// DropZeros leaves them out before ranking, as Wilcoxon did in 1945.
	DropZeros
)

// SignedRank is the Wilcoxon signed-rank test of "the differences are
// symmetric about 0", as other programs report it. Claims about a margin come
// from ClaimsOf, whose rule for zeros also holds at the ends of the interval.
type SignedRank struct {
	// N counts the differences that are not zero, Zeros those that are.
	N, Zeros int
	// Sum is the sum of the ranks of the positive differences.
	Sum float64
	// Greater, Less and TwoSided are the p-values of "not above 0", "not below
	// 0" and "neither"; the last is twice the smaller of the others. All are 1
	// when N is 0.
	Greater, Less, TwoSided float64
	// Exact is false beyond 200 differences, where p-values come from the
	// normal approximation with the corrections for continuity and ties.
	Exact bool
	// Absent says what is missing for evidence; empty when there is some.
	Absent string
}

// Wilcoxon tests the differences d against 0. Equal sizes have midranks, and
// the distribution is that of all sign patterns. It fails when d is empty or
// holds a value that is not finite.
func Wilcoxon(d []float64, zeros Zeros) (SignedRank, error) {
	if len(d) == 0 {
		_, err := sortedSample(d)
		return SignedRank{}, err
	}
	if err := checkFinite(d); err != nil {
		return SignedRank{}, err
	}
	if zeros != PrattZeros && zeros != DropZeros {
		return SignedRank{}, fmt.Errorf("there is no treatment %d of zeros", zeros)
	}
	ranks, positive, dropped := signedRanks(d, zeros)
	all := total(ranks)
	r := SignedRank{N: len(ranks), Zeros: dropped, Sum: float64(positive) / 2, Greater: 1, Less: 1, TwoSided: 1, Exact: true}
	if r.N == 0 {
		r.Absent = "all differences are zero"
		return r, nil
	}
	r.Greater, r.Exact = signSumTail(ranks, all-positive)
	r.Less, _ = signSumTail(ranks, positive)
	r.TwoSided = min(1, 2*min(r.Greater, r.Less))
	return r, nil
}

// signedRanks returns twice the midranks of the sizes of differences that are
// not zero, their sum over positive ones, and the number of zeros.
func signedRanks(d []float64, zeros Zeros) (ranks []int, positive, dropped int) {
	sorted := slices.Clone(d)
	slices.SortFunc(sorted, func(x, y float64) int {
		switch ax, ay := math.Abs(x), math.Abs(y); {
		case ax < ay:
			return -1
		case ax > ay:
			return 1
		}
		return 0
	})
	for dropped < len(sorted) && sorted[dropped] == 0 {
		dropped++
	}
	sorted = sorted[dropped:]
	sizes := make([]float64, len(sorted))
	for i, x := range sorted {
		sizes[i] = math.Abs(x)
	}
	ranks = doubledMidranks(sizes)
	for i := range ranks {
		if zeros == PrattZeros {
			ranks[i] += 2 * dropped
		}
		if sorted[i] > 0 {
			positive += ranks[i]
		}
	}
	return ranks, positive, dropped
}

// exactPairs bounds the number of pairs up to which sign patterns are counted;
// beyond it the normal approximation is off by less than 0.0001 near 0.025.
const exactPairs = 200

// signSumTail returns P(Σ c_i·w_i ≤ t) for independent fair coins c_i in {0,1}
// and twice the ranks w_i, and whether it was counted.
func signSumTail(ranks []int, t int) (p float64, exact bool) {
	if len(ranks) <= exactPairs {
		return coinSumTail(ranks, t), true
	}
	var variance float64
	for _, w := range ranks {
		variance += float64(w) * float64(w) / 4
	}
	return normalCDF((float64(t) + 1 - float64(total(ranks))/2) / math.Sqrt(variance)), false
}
