package main

import (
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/stats"
)

// pilotPairs are measured before their number is planned.
const pilotPairs = 20

// margins are tried from the narrowest: relative differences of throughput.
var margins = []float64{0.005, 0.01}

// plan is how many pairs to measure, and what they can decide.
type plan struct {
	margin  float64
	pairs   int
	planned int // what the power asks for, perhaps more than there may be
}

// planPairs plans for the narrowest margin that at most so many pairs decide,
// or else for the widest. Sd is that of a pair's ln(on/off).
//
// Equivalence is claimed when the 95 % interval lies within ±ln(1+margin),
// which is two one-sided tests at 0.025. Where there is no difference the
// chance of that is 2·Φ(m·√n/sd − z(0.975)) − 1, so that a power of 0.8 needs
// n = ((z(0.975) + z(0.9))·sd/m)² (Julious 2004, for known variance). The
// signed-rank interval needs π/3 of that for normal differences, the inverse of
// its efficiency.
func planPairs(sd float64, most int) plan {
	const z975, z90 = 1.959964, 1.281552
	var p plan
	for _, margin := range margins {
		n := math.Pi / 3 * math.Pow((z975+z90)*sd/math.Log1p(margin), 2)
		p = plan{margin: margin, planned: max(pilotPairs, int(math.Ceil(n)))}
		p.pairs = min(p.planned, most)
		if p.planned <= most {
			break
		}
	}
	return p
}

// judge says what the differences ln(on/off) decide about a margin.
func judge(differences []float64, margin float64) (string, error) {
	shift, err := stats.PairedShift(differences, 0.95)
	if err != nil {
		return "", err
	}
	percent := func(ln float64) float64 { return 100 * math.Expm1(ln) }
	verdict := "undecided"
	bound := math.Log1p(margin)
	switch interval := shift.Interval; {
	case interval.Low >= -bound && interval.High <= bound:
		verdict = "equivalent"
	case interval.High < -bound || interval.Low > bound:
		verdict = "different"
	}
	return fmt.Sprintf("%s within ±%g %%: on is %+.3f %% of off, 95 %% interval %+.3f to %+.3f %%, %d pairs",
		verdict, 100*margin, percent(shift.Estimate), percent(shift.Interval.Low), percent(shift.Interval.High), shift.N), nil
}
