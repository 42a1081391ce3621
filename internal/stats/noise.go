package stats

import "math"

// Noise is how far paired differences of the same thing scatter, in their unit.
type Noise struct {
	N int
	// SD is their standard deviation. Its interval, from the chi-squared
	// distribution, holds for normal noise and is too narrow for wilder one;
	// where Robust is far from SD, it is wilder.
	SD       float64
	Interval Interval
	Robust   float64 // as by RobustSpread
}

// NoiseOf estimates the noise from the differences d of an A/A campaign. It
// fails when d is empty or holds a value that is not finite, and when
// confidence is not between 0 and 1.
func NoiseOf(d []float64, confidence float64) (Noise, error) {
	sorted, err := sortedSample(d)
	if err != nil {
		return Noise{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Noise{}, err
	}
	_, sd := meanSD(sorted)
	noise := Noise{N: len(sorted), SD: sd, Interval: unbounded(confidence), Robust: robustSpread(sorted)}
	noise.Interval.Low = 0
	switch {
	case noise.N < 2:
		noise.Interval.Absent = "need at least 2 differences for their spread"
	case sd == 0:
		noise.Interval.Absent = "all differences are equal"
	default:
		df, tail := float64(noise.N-1), (1-confidence)/2
		noise.Interval.Low = sd * math.Sqrt(df/chiSquaredQuantile(1-tail, df))
		noise.Interval.High = sd * math.Sqrt(df/chiSquaredQuantile(tail, df))
		noise.Interval.Coverage = confidence
	}
	return noise, nil
}
