package main

import (
	"math"
	"math/rand/v2"
)

// shares are how often a protocol claims something.
type shares struct {
	found      float64 // the effect
	beyond     float64 // an effect that equals the margin to be beyond it
	difference float64 // a difference where there is none
	length     float64 // mean time of a campaign in which there is the effect, in seconds
}

// simulation is a noise with drift, of the logarithm per second, whose direction
// is random in every campaign.
type simulation struct {
	noise   noise
	drift   float64
	samples int
	seed    uint64
}

// sharesOf simulates a protocol for each of the three truths.
func (s simulation) sharesOf(p protocol) (r shares, err error) {
	beyond := func(c claim) (bool, error) { return c.better(math.Log1p(margin)) }
	if r.found, r.length, err = s.share(p, math.Log1p(effect), beyond); err != nil {
		return r, err
	}
	if r.beyond, _, err = s.share(p, math.Log1p(margin), beyond); err != nil {
		return r, err
	}
	r.difference, _, err = s.share(p, 0, func(c claim) (bool, error) { return c.different() })
	return r, err
}

// share is how often a claim is made about a true shift, and after how many
// seconds in the mean.
func (s simulation) share(p protocol, shift float64, claimed func(claim) (bool, error)) (share, length float64, err error) {
	random := rand.New(rand.NewPCG(s.seed, uint64(p.trials)<<32|uint64(p.seconds)))
	count := 0
	for range s.samples {
		drift := s.drift
		if random.IntN(2) == 0 {
			drift = -drift
		}
		w := newWorld(s.noise, drift, random)
		c, err := p.measure(w, p, shift)
		if err != nil {
			return 0, 0, err
		}
		yes, err := claimed(c)
		if err != nil {
			return 0, 0, err
		}
		if yes {
			count++
		}
		length += w.time / float64(s.samples)
	}
	return float64(count) / float64(s.samples), length, nil
}

// most is the largest number of trials of a variant that is looked for.
const most = 400

// smallest finds the number of trials from least on with which a protocol finds
// the effect with the wanted power; false, most are not enough. More trials find
// more, but for chance.
func (s simulation) smallest(p protocol, least int) (protocol, bool, error) {
	enough := func(n int) (bool, error) {
		found, _, err := s.share(p.with(n), math.Log1p(effect), func(c claim) (bool, error) { return c.better(math.Log1p(margin)) })
		return found >= power, err
	}
	low, high := least-1, least // low is not enough
	for {
		ok, err := enough(high)
		if err != nil {
			return p, false, err
		}
		if ok {
			break
		}
		if high == most {
			return p, false, nil
		}
		low, high = high, min(2*high, most)
	}
	for high-low > 1 {
		middle := (low + high) / 2
		ok, err := enough(middle)
		if err != nil {
			return p, false, err
		}
		if ok {
			high = middle
		} else {
			low = middle
		}
	}
	return p.with(high), true, nil
}
