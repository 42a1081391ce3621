package stats

import (
	"fmt"
	"math"
)

// Chances are those of the verdicts about a comparison with a given true shift,
// each to ± 0.02; they add up to 1.
type Chances struct {
	Better, Worse, Equivalent, Inconclusive float64
	// Absent says why no verdict is possible, whatever the shift; Inconclusive
	// is then 1.
	Absent string
}

// Power simulates 4,000 campaigns of the design, seeded, whose true shift is
// effect. It fails when the design or the effect makes no sense.
func (d Design) Power(effect float64, seed uint64) (Chances, error) {
	s, absent, err := d.simulate(seed)
	if err != nil {
		return Chances{}, err
	}
	if err := checkFinite([]float64{effect}); err != nil {
		return Chances{}, fmt.Errorf("effect: %w", err)
	}
	if absent != "" {
		return Chances{Inconclusive: 1, Absent: absent}, nil
	}
	return s.chances(effect, d.Margin), nil
}

// Effect is a true shift that a design is likely to find.
type Effect struct {
	Shift float64 // not a number when Absent says why
	// Blocks is the number of pairs, or of values on each side, of the design.
	Blocks int
	Absent string
}

// MinimalEffect finds the smallest true shift above the margin that is found
// better with the given power, 0.8 for 80 %. A shift below minus the margin is
// found worse as easily. It fails when the design or power makes no sense.
func (d Design) MinimalEffect(power float64, seed uint64) (Effect, error) {
	if err := checkPower(power); err != nil {
		return Effect{}, err
	}
	s, absent, err := d.simulate(seed)
	if err != nil {
		return Effect{}, err
	}
	if absent != "" {
		return Effect{Shift: math.NaN(), Blocks: d.size(), Absent: absent}, nil
	}
	// The noise is the same for every shift, so the share found can only grow
	// with it; beyond the widest noise everything is found.
	found := func(excess float64) bool { return s.rejected(excess) >= power }
	return Effect{Shift: d.Margin + bisect(2*s.widest(), found), Blocks: d.size()}, nil
}

// maxPlanned is the largest number of blocks that is planned for.
const maxPlanned = 200

// BlocksFor finds the smallest number of pairs with which a true shift of
// effect is found with the given power: better or worse when it lies beyond the
// margin, equivalent when within. The design's own number does not count; an
// unpaired design gets the same number on both sides. It fails when the design,
// effect or power makes no sense.
func (d Design) BlocksFor(effect, power float64, seed uint64) (Effect, error) {
	if err := checkPower(power); err != nil {
		return Effect{}, err
	}
	paired := d.Pairs > 0
	at := func(n int) (float64, error) {
		if d.Pairs, d.NA, d.NB = 0, n, n; paired {
			d.Pairs, d.NA, d.NB = n, 0, 0
		}
		c, err := d.Power(effect, seed)
		if math.Abs(effect) < d.Margin {
			return c.Equivalent, err
		}
		return max(c.Better, c.Worse), err
	}
	most, err := at(maxPlanned)
	if err != nil {
		return Effect{}, err
	}
	if math.Abs(effect) == d.Margin {
		return Effect{Shift: effect, Absent: "a shift equal to the margin is inconclusive however many blocks there are"}, nil
	}
	if most < power {
		return Effect{Shift: effect, Absent: fmt.Sprintf("not with %d blocks", maxPlanned)}, nil
	}
	low, high := 0, maxPlanned // low is too few, high is enough
	for high-low > 1 {
		middle := (low + high) / 2
		reached, err := at(middle)
		if err != nil {
			return Effect{}, err
		}
		if reached >= power {
			high = middle
		} else {
			low = middle
		}
	}
	return Effect{Shift: effect, Blocks: high}, nil
}

func checkPower(power float64) error {
	if power > 0 && power < 1 {
		return nil
	}
	return fmt.Errorf("power %v is not between 0 and 1", power)
}
