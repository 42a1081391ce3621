package report

import "math"

// axis maps values, in the unit in which they are shown, to per cent of a
// plot's width.
type axis struct {
	low, high float64
	ticks     []float64
	decimals  int // of the tick labels
}

// sidePadding keeps dots and labels at the ends of an axis inside the plot, in
// per cent of its width.
const sidePadding = 4

// zeroBelow is the share of the largest value that the smallest must exceed for
// an axis to start elsewhere than at 0: below it, a start at 0 costs little
// resolution and shows proportions.
const zeroBelow = 0.4

// newAxis covers the values with round ticks. Values of one sign that span
// much of their size get an axis from 0.
func newAxis(values []float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	switch {
	case len(values) == 0:
		low, high = 0, 1
	case low >= 0 && low <= zeroBelow*high:
		low = 0
	}
	if low == high {
		pad := max(math.Abs(high)/20, 1)
		high += pad
		if low != 0 { // zeros, such as no retransmits, need no room below 0
			low -= pad
		}
	}
	return ticked(low, high)
}

// ticked covers a range with about five round steps: as many labels as a phone
// has room for.
func ticked(low, high float64) axis {
	step := roundStep((high - low) / 5)
	a := axis{low: low, high: high, decimals: stepDecimals(step)}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		a.ticks = append(a.ticks, k*step)
	}
	return a
}

// roundStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that
// is at least x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, s := range []float64{1, 2, 2.5, 5} {
		if s*power >= x*(1-1e-9) {
			return s * power
		}
	}
	return 10 * power
}

func stepDecimals(step float64) int {
	for d := range 12 {
		if scaled := step * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-6*scaled {
			return d
		}
	}
	return 12
}

// at returns where a value lies, in per cent of the plot's width.
func (a axis) at(v float64) float64 {
	return sidePadding + (100-2*sidePadding)*(v-a.low)/(a.high-a.low)
}

// startsAtZero reports whether lengths on the axis are proportions.
func (a axis) startsAtZero() bool { return a.low == 0 }
