package stats

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// maxDifferences bounds the pairwise differences, or Walsh averages, that one
// shift is estimated from: 2,000 values against 2,000.
const maxDifferences = 4_000_000

// twoSamples are two independent samples, sorted, with twice the midrank of
// every value within its own side.
type twoSamples struct {
	a, b           []float64
	ranksA, ranksB []int
}

func newTwoSamples(a, b []float64) (twoSamples, error) {
	sortedA, err := sortedSample(a)
	if err != nil {
		return twoSamples{}, fmt.Errorf("first side: %w", err)
	}
	sortedB, err := sortedSample(b)
	if err != nil {
		return twoSamples{}, fmt.Errorf("second side: %w", err)
	}
	return twoSamples{sortedA, sortedB, doubledMidranks(sortedA), doubledMidranks(sortedB)}, nil
}

func (s twoSamples) checkSize() error {
	if differences := float64(len(s.a)) * float64(len(s.b)); differences > maxDifferences {
		return fmt.Errorf("%d and %d values have more than %d pairwise differences: summarise them first", len(s.a), len(s.b), maxDifferences)
	}
	return nil
}

// turned exchanges the sides.
func (s twoSamples) turned() twoSamples { return twoSamples{s.b, s.a, s.ranksB, s.ranksA} }

// doubledMidranks returns twice the midrank of every value: whole numbers.
func doubledMidranks(sorted []float64) []int {
	ranks := make([]int, len(sorted))
	for start := 0; start < len(sorted); {
		end := start + 1
		for end < len(sorted) && sorted[end] == sorted[start] {
			end++
		}
		for i := start; i < end; i++ {
			ranks[i] = start + end + 1
		}
		start = end
	}
	return ranks
}

// pAtMost is the p-value of "b − a is shifted by at most m": the share of the
// ways to deal the pooled values to two sides in which the ranks of a add up
// to no more than they do, b moved down by a little more than m. A pair with
// b − a = m counts as b below a; ties within a side stay midranks. When m
// grows past such a pair, a's rank rises and b's falls, so that p can only
// grow with m.
func (s twoSamples) pAtMost(m float64) (p float64, exact bool) {
	na := len(s.a)
	pooled := make([]int, na+len(s.b))
	copy(pooled, s.ranksA)
	copy(pooled[na:], s.ranksB)
	i := 0 // values of a that lie more than m below b_j; both sides are sorted
	for j, b := range s.b {
		for i < na && b-s.a[i] > m {
			i++
		}
		pooled[na+j] += 2 * i
	}
	j := 0 // values of b that do not lie more than m above a_i
	for i, a := range s.a {
		for j < len(s.b) && s.b[j]-a <= m {
			j++
		}
		pooled[i] += 2 * j
	}
	return subsetSumTail(pooled, na, total(pooled[:na]))
}

// differences returns the sorted differences b − a of all pairs.
func (s twoSamples) differences() []float64 {
	d := make([]float64, 0, len(s.a)*len(s.b))
	for _, b := range s.b {
		for _, a := range s.a {
			d = append(d, b-a)
		}
	}
	slices.Sort(d)
	return d
}

// interval holds the shifts that neither one-sided test at level
// (1 − confidence)/2 rejects.
func (s twoSamples) interval(differences []float64, confidence float64) (iv Interval, exact bool) {
	alpha := (1 - confidence) / 2
	if p, ok := s.pAtMost(math.Inf(-1)); p > alpha {
		iv = unbounded(confidence)
		enough := 1
		for 1/combinations(2*enough, enough) > alpha {
			enough++
		}
		iv.Absent = fmt.Sprintf("%d and %d values are too few for a %s %% interval of the shift; %d and %d are enough",
			len(s.a), len(s.b), percent(confidence), enough, enough)
		return iv, ok
	}
	differences = slices.Compact(slices.Clone(differences))
	low, below, exact := s.lowerBound(differences, alpha)
	high, above, _ := s.turned().lowerBound(negatedSorted(differences), alpha)
	return Interval{Low: low, High: 0 - high, Confidence: confidence, Coverage: 1 - below - above}, exact
}

// lowerBound is as for paired differences: the first pairwise difference at
// which "at most" is not rejected, and the p-value immediately below it.
func (s twoSamples) lowerBound(differences []float64, alpha float64) (bound, below float64, exact bool) {
	k := sort.Search(len(differences)-1, func(k int) bool {
		p, _ := s.pAtMost(differences[k])
		return p > alpha
	})
	m := math.Inf(-1)
	if k > 0 {
		m = differences[k-1]
	}
	below, exact = s.pAtMost(m)
	return differences[k], below, exact
}

// negatedSorted returns −x of sorted values, sorted.
func negatedSorted(sorted []float64) []float64 {
	neg := negated(sorted)
	slices.Reverse(neg)
	return neg
}
