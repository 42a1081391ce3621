package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// BootstrapResamples is the usual number of resamples of an interval.
	BootstrapResamples = 10_000
	// bootstrapMin is the number of values below which no bootstrap interval is
	// given: it would be far too narrow.
	bootstrapMin   = 8
	bootstrapCells = 1 << 30 // values drawn in all, so that nobody waits for days
)

// Bootstrap is a bootstrap estimate of a statistic that has no interval of its
// own. Below some 20 values its interval is too narrow, hence it is for display
// and never decides.
type Bootstrap struct {
	N, Resamples int
	Estimate     float64 // of the statistic, in its unit
	// Interval is the bias-corrected and accelerated one. Its coverage is not
	// known and therefore not a number.
	Interval Interval
}

// BCa bootstraps a statistic of n rows of data, say of values, or of pairs:
// the statistic gets the numbers of the rows to compute from, 0 to n − 1, some
// of them repeatedly, others not at all, and in one call with one row left
// out. Resamples are drawn from the seed (Efron, JASA 82 (1987) 171). The
// interval is absent when n is below 8, and when the statistic does not vary or
// is not always a number. It fails when nothing can be drawn.
func BCa(n int, statistic func(rows []int) float64, confidence float64, resamples int, seed uint64) (Bootstrap, error) {
	if n < 1 {
		return Bootstrap{}, errors.New("the sample has no values")
	}
	if err := checkConfidence(confidence); err != nil {
		return Bootstrap{}, err
	}
	if resamples < 100 || float64(resamples)*float64(n) > bootstrapCells {
		return Bootstrap{}, fmt.Errorf("%d resamples of %d values are too few or too many", resamples, n)
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	b := Bootstrap{N: n, Resamples: resamples, Estimate: statistic(slices.Clone(rows))}
	if n < bootstrapMin {
		b.Interval = unbounded(confidence)
		b.Interval.Absent = fmt.Sprintf("need at least %d values for a bootstrap", bootstrapMin)
		return b, nil
	}
	left := make([]float64, n) // the statistic without one row
	for i := range left {
		left[i] = statistic(slices.Delete(slices.Clone(rows), i, i+1))
	}
	replicates := make([]float64, resamples)
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range replicates {
		for j := range rows {
			rows[j] = r.IntN(n)
		}
		replicates[i] = statistic(rows)
	}
	b.Interval = bcaInterval(b.Estimate, replicates, left, confidence)
	return b, nil
}

// bcaInterval computes the interval from the statistic of the sample, of
// resamples and of the sample without each row.
func bcaInterval(estimate float64, replicates, left []float64, confidence float64) Interval {
	iv := unbounded(confidence)
	for _, values := range [][]float64{{estimate}, replicates, left} {
		if checkFinite(values) != nil {
			iv.Absent = "the statistic of some resamples is not a number"
			return iv
		}
	}
	slices.Sort(replicates)
	if replicates[0] == replicates[len(replicates)-1] {
		iv.Absent = "the statistic is the same in all resamples"
		return iv
	}
	below, equal := advance(replicates, 0, estimate)
	share := (float64(below) + float64(equal)/2) / float64(len(replicates))
	if share == 0 || share == 1 {
		iv.Absent = "all resamples lie on one side of the estimate"
		return iv
	}
	bias, a := normalQuantile(share), acceleration(left)
	end := func(z float64) float64 {
		shifted := bias + z
		return quantileSorted(replicates, normalCDF(bias+shifted/(1-a*shifted)))
	}
	z := normalQuantile((1 + confidence) / 2)
	iv.Low, iv.High, iv.Coverage = end(-z), end(z), math.NaN()
	return iv
}

// acceleration is Σu³/(6·(Σu²)^1.5), u the distances of the jackknife values
// below their mean.
func acceleration(left []float64) float64 {
	mean, _ := meanSD(left)
	var squares, cubes, widest float64
	for _, x := range left {
		widest = max(widest, math.Abs(mean-x))
	}
	if widest == 0 {
		return 0
	}
	for _, x := range left {
		u := (mean - x) / widest
		squares += u * u
		cubes += u * u * u
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}
