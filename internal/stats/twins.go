package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Twins is what A/A comparisons, of a thing with itself under two names, say
// about the machine and about the tests.
type Twins struct {
	Comparisons int
	// Alarms are the comparisons whose two-sided p against 0 is at most the
	// level. P-values have steps, so that the fair share, Expected, lies below
	// the level; it is not a number where comparisons differ in their pairs.
	Alarms   Share
	Expected float64
	// Uniformity is that of the p-values on their grid.
	Uniformity Uniformity
	// Claimed counts the comparisons that are better or worse by more than the
	// margin, each by itself, all of them false.
	Claimed int
	// Noise is that of all differences together.
	Noise Noise
}

// TwinsOf examines A/A comparisons, given as their paired differences. Level is
// that of a false alarm, 0.05 as a rule, margin what a claim must exceed. It
// fails when there is no comparison, one is empty or has a value that is not
// finite, and when level or margin is out of range.
func TwinsOf(comparisons [][]float64, level, margin float64) (Twins, error) {
	if len(comparisons) == 0 {
		return Twins{}, errors.New("there are no comparisons")
	}
	if err := checkAlpha(level); err != nil {
		return Twins{}, err
	}
	t := Twins{Comparisons: len(comparisons)}
	ps, alarms := make([]float64, len(comparisons)), 0
	for i, d := range comparisons {
		p, err := PTwoSided(d, 0)
		if err != nil {
			return Twins{}, fmt.Errorf("comparison %d: %w", i+1, err)
		}
		claims, err := ClaimsOf(d, margin)
		if err != nil {
			return Twins{}, fmt.Errorf("comparison %d: %w", i+1, err)
		}
		if ps[i] = p; p <= level {
			alarms++
		}
		if v := claims.verdict(VerdictAlpha); v == Better || v == Worse {
			t.Claimed++
		}
	}
	var err error
	if t.Alarms, err = ShareOf(alarms, len(ps), 0.95); err != nil {
		return Twins{}, err
	}
	if t.Noise, err = NoiseOf(slices.Concat(comparisons...), 0.95); err != nil {
		return Twins{}, err
	}
	t.Uniformity, t.Expected, err = twinUniformity(comparisons, ps, level)
	return t, err
}

// absentUniformity says why nothing can be said of n p-values.
func absentUniformity(n int, why string) (u Uniformity, expected float64, err error) {
	return Uniformity{N: n, Distance: math.NaN(), P: math.NaN(), Absent: why}, math.NaN(), nil
}

// twinUniformity needs one grid for all p-values, hence equal numbers of pairs.
func twinUniformity(comparisons [][]float64, ps []float64, level float64) (u Uniformity, expected float64, err error) {
	n := len(comparisons[0])
	for _, d := range comparisons {
		if len(d) != n {
			return absentUniformity(len(ps), "the comparisons differ in their number of pairs")
		}
	}
	grid, err := TwoSidedGrid(n)
	if err != nil {
		return absentUniformity(len(ps), err.Error())
	}
	for _, p := range grid {
		if p <= level {
			expected = p
		}
	}
	u, err = UniformityOf(ps, grid)
	return u, expected, err
}
