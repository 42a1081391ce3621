package stats

// RankSum is the Mann–Whitney test of two independent samples.
type RankSum struct {
	NA, NB int
	// U counts the pairs with b above a, ties half. U/(NA·NB) is the chance
	// that a value of b lies above one of a, Delta is Cliff's delta, −1 to 1.
	U, Delta float64
	// Greater, Less and TwoSided are the p-values of "b is not above a", "not
	// below" and "neither"; the last is twice the smaller of the others.
	Greater, Less, TwoSided float64
	// Exact is false when the samples are so large that the p-values come from
	// the normal approximation.
	Exact bool
}

// MannWhitney tests whether b lies above or below a. Values equal to one of
// the other side have midranks, and the distribution is that of all ways to
// deal the pooled values, ties as they are. (The interval and the claims treat
// such pairs as evidence of nothing, hence PBetweenAtMost may be larger.) It
// fails when a sample is empty or holds a value that is not finite.
func MannWhitney(a, b []float64) (RankSum, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return RankSum{}, err
	}
	na, nb := len(s.a), len(s.b)
	ranks, sumB := pooledRanks(s)
	sumA := total(ranks) - sumB
	r := RankSum{NA: na, NB: nb, U: float64(sumB-nb*(nb+1)) / 2}
	r.Delta = 2*r.U/(float64(na)*float64(nb)) - 1
	r.Greater, r.Exact = subsetSumTail(ranks, na, sumA)
	r.Less, _ = subsetSumTail(ranks, nb, sumB)
	r.TwoSided = min(1, 2*min(r.Greater, r.Less))
	return r, nil
}

// pooledRanks returns twice the midranks of all values, and the sum of b's.
func pooledRanks(s twoSamples) (ranks []int, sumB int) {
	ranks = make([]int, 0, len(s.a)+len(s.b))
	var equal int // of the other side
	below := 0
	for i, a := range s.a {
		below, equal = advance(s.b, below, a)
		ranks = append(ranks, s.ranksA[i]+2*below+equal)
	}
	below = 0
	for j, b := range s.b {
		below, equal = advance(s.a, below, b)
		rank := s.ranksB[j] + 2*below + equal
		ranks = append(ranks, rank)
		sumB += rank
	}
	return ranks, sumB
}

// advance counts the sorted values below x, from a count known to be, and those
// equal to it.
func advance(sorted []float64, from int, x float64) (below, equal int) {
	for from < len(sorted) && sorted[from] < x {
		from++
	}
	for from+equal < len(sorted) && sorted[from+equal] == x {
		equal++
	}
	return from, equal
}
