package stats

import (
	"slices"
	"sort"
)

// Shift is what the paired differences of two variants say about their
// distance, on the scale of the differences: ln(B/A) or B − A.
type Shift struct {
	N int // pairs
	// Estimate is the Hodges–Lehmann estimate.
	Estimate float64
	// Interval is the exact signed-rank interval of the shift. Without ties it
	// is that of R's wilcox.test(d, conf.int = TRUE, exact = TRUE). Where
	// several Walsh averages coincide its ends are the same, and Coverage is
	// the confidence attained by the tests immediately outside it.
	Interval Interval
	// Tied says that some differences were equal, so that midranks and the
	// permutation distribution decided.
	Tied bool
	// Spread is the robust spread of the differences, as by RobustSpread.
	Spread float64
	// SmallestP is the smallest one-sided p-value that N pairs can attain.
	SmallestP float64
}

// PairedShift estimates the shift from the differences d of the blocks, with
// an interval at the wanted confidence (0.95 is 95 %). It fails when d is
// empty or holds a value that is not finite, and when confidence is not
// between 0 and 1.
func PairedShift(d []float64, confidence float64) (Shift, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return Shift{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Shift{}, err
	}
	return Shift{
		N:         len(sorted),
		Estimate:  medianSorted(walshAverages(sorted)),
		Interval:  shiftInterval(sorted, confidence),
		Tied:      len(slices.Compact(slices.Clone(sorted))) < len(sorted),
		Spread:    robustSpread(sorted),
		SmallestP: SmallestP(len(sorted)),
	}, nil
}

// shiftInterval holds the shifts that neither one-sided test at level
// (1 − confidence)/2 rejects.
func shiftInterval(d []float64, confidence float64) Interval {
	alpha := (1 - confidence) / 2
	if SmallestP(len(d)) > alpha {
		return absentInterval(confidence, "pairs", "shift")
	}
	low, below := lowerBound(d, alpha)
	high, above := lowerBound(negated(d), alpha)
	// Not −high, which may be minus zero and would be printed so.
	return Interval{Low: low, High: 0 - high, Confidence: confidence, Coverage: 1 - below - above}
}

// lowerBound returns the smallest m at which "the shift is at most m" is not
// rejected at level alpha, and the p-value immediately below it. The p-value
// only changes at Walsh averages, where it jumps upwards, reaching 1 at the
// last; so the bound is the first Walsh average whose p-value exceeds alpha.
// It expects SmallestP(len(d)) ≤ alpha.
func lowerBound(d []float64, alpha float64) (bound, below float64) {
	walsh := walshAverages(d)
	k := sort.Search(len(walsh)-1, func(k int) bool { return pAtMost(d, walsh[k]) > alpha })
	if k == 0 {
		return walsh[0], SmallestP(len(d))
	}
	return walsh[k], pAtMost(d, walsh[k-1])
}
