package stats

import "pgregory.net/rapid"

// eighths draws values with exact sums, products and Walsh averages, so that
// properties hold to the last bit; the range is small enough to make ties.
func eighths() *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(-40, 40), func(i int) float64 { return float64(i) / 8 })
}

// differences draws samples of paired differences with and without ties.
func differences(atLeast int) *rapid.Generator[[]float64] {
	return rapid.OneOf(
		rapid.SliceOfN(eighths(), atLeast, 14),
		rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(-1<<20, 1<<20), func(i int) float64 { return float64(i) / 4096 }),
			atLeast, 14, rapid.ID[float64]),
	)
}

func confidences() *rapid.Generator[float64] {
	return rapid.SampledFrom([]float64{0.5, 0.8, 0.9, 0.95, 0.96875, 0.99})
}

func mustShift(t *rapid.T, d []float64, confidence float64) Shift {
	shift, err := PairedShift(d, confidence)
	if err != nil {
		t.Fatal(err)
	}
	return shift
}

// moved is the shift of a·d + b, a not zero, given that of d.
func (s Shift) moved(a, b float64) Shift {
	ends := []float64{a*s.Interval.Low + b, a*s.Interval.High + b}
	s.Interval.Low, s.Interval.High = min(ends[0], ends[1]), max(ends[0], ends[1])
	s.Estimate = a*s.Estimate + b
	s.Spread *= max(a, -a)
	return s
}

func moved(d []float64, a, b float64) []float64 {
	out := make([]float64, len(d))
	for i, x := range d {
		out[i] = a*x + b
	}
	return out
}
