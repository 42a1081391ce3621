package figure

import (
	"math"
	"slices"
	"strconv"

	"github.com/cnibench/cnibench/internal/prose"
)

// Axis maps values, in the unit in which they are shown, to places.
type Axis struct {
	Ticks []Tick
	// warp is what makes equal steps of the axis, such as a logarithm; nil for
	// a linear one. low and high are warped.
	warp      func(float64) float64
	low, high float64
}

// Tick is a labelled value.
type Tick struct {
	Value float64
	Label string
	// Minor ticks lose their label where there is little room.
	Minor bool
}

const (
	// sidePadding keeps dots and labels at the ends of an axis inside a row's
	// plot, in per cent of its width.
	sidePadding = 4
	// zeroBelow is the share of the largest value that the smallest must exceed
	// for an axis to start elsewhere than at 0: below it, a start at 0 costs
	// little resolution and shows proportions.
	zeroBelow = 0.4
	// logFrom is the ratio of the largest to the smallest value from which
	// equal steps of a logarithm show more than equal steps.
	logFrom = 25
)

// NewAxis covers the values with round ticks. Values of one sign that span
// much of their size get an axis from 0.
func NewAxis(values []float64) Axis {
	low, high, some := bounds(values)
	switch {
	case !some:
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

// NewWideAxis is NewAxis, but logarithmic for positive values that span a wide
// range.
func NewWideAxis(values []float64) Axis {
	low, high, some := bounds(values)
	if !some || low <= 0 || high/low < logFrom {
		return NewAxis(values)
	}
	a := Axis{warp: math.Log10, low: math.Log10(low), high: math.Log10(high)}
	for _, v := range logTicks(low, high) {
		a.Ticks = append(a.Ticks, Tick{Value: v, Label: powerLabel(v)})
	}
	return a
}

// NewSteppedAxis has ticks at the values themselves, which are sorted, with
// their own labels; logarithmic where they span a wide range, 0 aside. At most
// as many labels as are asked for stay where there is little room.
func NewSteppedAxis(values []float64, labels []string, labelled int) Axis {
	low, high, some := bounds(values)
	if !some {
		return ticked(0, 1)
	}
	a := Axis{low: low, high: high}
	if least := leastPositive(values); low >= 0 && high/least >= logFrom {
		a.warp = math.Log10
		if low == 0 {
			// 0 has no logarithm: it lies as far from its neighbour as that
			// from ten times as much would.
			a.warp = func(v float64) float64 { return math.Log10(max(v, least/10)) }
		}
		a.low, a.high = a.warp(low), a.warp(high)
	}
	every := (len(values) + labelled - 1) / labelled
	for i, v := range values {
		a.Ticks = append(a.Ticks, Tick{Value: v, Label: labels[i], Minor: i%every != 0})
	}
	return a
}

// NewPercentileAxis covers quantiles, fractions from 0 to below 1, so that each
// step divides what lies beyond by the same: as far from 90 to 99 % as from 99
// to 99.9 %.
func NewPercentileAxis(quantiles []float64) Axis {
	a := Axis{warp: func(q float64) float64 { return -math.Log10(max(1-q, 1e-9)) }}
	low, high, some := bounds(quantiles)
	if !some {
		low, high = 0.5, 0.99
	}
	a.low, a.high = a.warp(low), a.warp(high)
	for _, t := range []Tick{{0.5, "50 %", false}, {0.75, "75 %", true}, {0.9, "90 %", false}, {0.95, "95 %", true}, {0.99, "99 %", false}, {0.999, "99.9 %", false}, {0.9999, "99.99 %", false}, {0.99999, "99.999 %", false}} {
		if t.Value > low-1e-9 && t.Value < high+1e-9 {
			a.Ticks = append(a.Ticks, t)
		}
	}
	return a
}

// bounds are the smallest and the largest of the finite values; false without
// any.
func bounds(values []float64) (low, high float64, some bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high, low <= high
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func leastPositive(values []float64) float64 {
	least := math.Inf(1)
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
	}
	return least
}

// ticked covers a range with about five round steps: as many labels as a phone
// has room for.
func ticked(low, high float64) Axis {
	step := roundStep((high - low) / 5)
	a := Axis{low: low, high: high}
	for k := math.Ceil(low/step - 1e-9); k*step <= high+1e-9*step; k++ {
		a.Ticks = append(a.Ticks, Tick{Value: k * step, Label: prose.Fixed(k*step, Decimals(step))})
	}
	return a
}

// logTicks returns powers of ten, or 1, 2 and 5 times them where that would be
// few, at most eight.
func logTicks(low, high float64) []float64 {
	var ticks []float64
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	mantissas := []float64{1, 2, 5}
	if last-first > 3 {
		mantissas = []float64{1}
	}
	for e := first; e <= last; e++ {
		for _, m := range mantissas {
			if v := m * math.Pow(10, e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				ticks = append(ticks, v)
			}
		}
	}
	for len(ticks) > 8 {
		n := 0
		ticks = slices.DeleteFunc(ticks, func(float64) bool { n++; return n%2 == 0 })
	}
	return ticks
}

// powerLabel writes 1, 2 or 5 times a power of ten as shortly as it reads well.
func powerLabel(v float64) string {
	if v >= 1e6 || v < 1e-3 {
		return strconv.FormatFloat(v, 'e', 0, 64)
	}
	return prose.Fixed(v, max(0, int(-math.Floor(math.Log10(v)+1e-9))))
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

// RoundUp rounds the top of a vertical axis that starts at 0 up to a value
// that reads well; at least 1.
func RoundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	step := roundStep(x / 8)
	return math.Ceil(x/step-1e-9) * step
}

// Decimals is how many decimals a round step needs, at most 12.
func Decimals(step float64) int {
	for d := range 12 {
		if scaled := step * math.Pow10(d); math.Abs(scaled-math.Round(scaled)) < 1e-6*scaled {
			return d
		}
	}
	return 12
}

// share returns where a value lies from the start of the axis, 0, to its end,
// 1.
func (a Axis) share(v float64) float64 {
	if a.warp != nil {
		v = a.warp(v)
	}
	if a.high == a.low {
		return 0.5
	}
	return (v - a.low) / (a.high - a.low)
}

// At returns where a value lies in a row's plot, in per cent of its width.
func (a Axis) At(v float64) float64 { return sidePadding + (100-2*sidePadding)*a.share(v) }

// StartsAtZero reports whether lengths on the axis are proportions.
func (a Axis) StartsAtZero() bool { return a.warp == nil && a.low == 0 }

// Logarithmic reports whether equal steps are equal ratios.
func (a Axis) Logarithmic() bool { return a.warp != nil }
