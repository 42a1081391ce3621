package stats

import (
	"math"
	"slices"
)

const (
	// OutlierZ is the modified z beyond which a value is marked as an outlier
	// (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993).
	OutlierZ = 3.5
	// normalQuartile is Φ⁻¹(¾): MAD/normalQuartile estimates the standard
	// deviation of normal data. Iglewicz and Hoaglin round it to 0.6745.
	normalQuartile = 0.67448975019608174
)

// RobustSpread estimates the standard deviation of xs by MAD/0.67449, the
// median absolute deviation from the median scaled for normal data, in the
// unit of xs (R's mad). Up to half of the values may be wild without spoiling
// it; for n below 10 it is on the small side. It is not a number for n = 1. It
// fails when xs is empty or holds a value that is not finite.
func RobustSpread(xs []float64) (float64, error) {
	sorted, err := sortedSample(xs)
	if err != nil {
		return 0, err
	}
	return robustSpread(sorted), nil
}

func robustSpread(sorted []float64) float64 {
	if len(sorted) < 2 {
		return math.NaN()
	}
	return medianSorted(deviations(sorted)) / normalQuartile
}

// deviations returns the sorted absolute deviations from the median.
func deviations(sorted []float64) []float64 {
	center := medianSorted(sorted)
	devs := make([]float64, len(sorted))
	for i, x := range sorted {
		devs[i] = math.Abs(x - center)
	}
	slices.Sort(devs)
	return devs
}

// ModifiedZ returns the modified z of every value, in the order of xs: its
// distance from the median in units of RobustSpread. Where more than half of
// the values are equal the MAD is 0, and the mean absolute deviation times
// √(π/2) takes its place; where all are equal every z is 0. Values beyond
// ±OutlierZ are to be marked and kept. It fails when xs is empty or holds a
// value that is not finite.
func ModifiedZ(xs []float64) ([]float64, error) {
	sorted, err := sortedSample(xs)
	if err != nil {
		return nil, err
	}
	devs := deviations(sorted)
	scale := medianSorted(devs) / normalQuartile
	if scale == 0 {
		mean, _ := meanSD(devs)
		scale = mean * math.Sqrt(math.Pi/2)
	}
	zs := make([]float64, len(xs))
	for i, x := range xs {
		if scale > 0 {
			zs[i] = (x - medianSorted(sorted)) / scale
		}
	}
	return zs, nil
}
