package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Summary describes one sample, in the unit of its values.
type Summary struct {
	N    int
	Mean float64
	// SD is the standard deviation with divisor n − 1; not a number for n = 1.
	SD             float64
	Min, Max       float64
	Median         float64
	MedianInterval Interval
}

// Summarize describes xs, with the order-statistic interval of the median at
// the wanted confidence (0.95 is 95 %). It leaves xs in its order. It fails
// when xs is empty or holds a value that is not finite, and when confidence is
// not between 0 and 1.
func Summarize(xs []float64, confidence float64) (Summary, error) {
	sorted, err := sortedSample(xs)
	if err != nil {
		return Summary{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Summary{}, err
	}
	mean, sd := meanSD(sorted)
	return Summary{
		N:              len(sorted),
		Mean:           mean,
		SD:             sd,
		Min:            sorted[0],
		Max:            sorted[len(sorted)-1],
		Median:         medianSorted(sorted),
		MedianInterval: medianInterval(sorted, confidence),
	}, nil
}

// maxMagnitude keeps squares and sums of a sample from overflowing.
const maxMagnitude = 1e150

// sortedSample returns a sorted copy of xs, so that results do not depend on
// the order of the values and the caller keeps his order of time.
func sortedSample(xs []float64) ([]float64, error) {
	if len(xs) == 0 {
		return nil, errors.New("the sample has no values")
	}
	if err := checkFinite(xs); err != nil {
		return nil, err
	}
	return slices.Sorted(slices.Values(xs)), nil
}

// MaxPairs is the largest number of paired differences that is compared: two
// million Walsh averages. A sample is a block, so more of them are probably
// something else.
const MaxPairs = 2000

func sortedPairs(d []float64) ([]float64, error) {
	if len(d) > MaxPairs {
		return nil, fmt.Errorf("%d pairs are more than the %d that can be compared", len(d), MaxPairs)
	}
	return sortedSample(d)
}

func checkFinite(xs []float64) error {
	for i, x := range xs {
		if math.IsNaN(x) || math.Abs(x) > maxMagnitude {
			return fmt.Errorf("value %d of the sample is %v, which is not a usable number", i+1, x)
		}
	}
	return nil
}

func meanSD(xs []float64) (mean, sd float64) {
	n := float64(len(xs))
	for _, x := range xs {
		mean += x / n
	}
	if len(xs) < 2 {
		return mean, math.NaN()
	}
	var squares float64
	for _, x := range xs {
		squares += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(squares / (n - 1))
}

func medianSorted(sorted []float64) float64 {
	n := len(sorted)
	return midpoint(sorted[(n-1)/2], sorted[n/2])
}

func midpoint(a, b float64) float64 { return (a + b) / 2 }
