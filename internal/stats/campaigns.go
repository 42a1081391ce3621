package stats

import (
	"math/rand/v2"
	"slices"
)

// powerCampaigns is the number of simulated campaigns behind a power. The
// standard error of a share is then at most 0.008.
const powerCampaigns = 4000

// simulation is the noise of many campaigns and the largest rank sum on the
// wrong side with which a shift is found.
type simulation struct {
	campaigns []noise
	critical  int
}

// noise is that of one campaign: sorted differences, or two sorted sides.
type noise struct{ a, b []float64 }

// simulate draws the campaigns, or says why there is no critical rank sum.
func (d Design) simulate(seed uint64) (s simulation, absent string, err error) {
	if err := d.check(); err != nil {
		return simulation{}, "", err
	}
	alpha := d.level()
	if s.critical = d.critical(alpha); s.critical < 0 {
		return simulation{}, d.tooSmall(alpha), nil
	}
	// Every comparison has its own stream, so that one more block changes the
	// noise of no other campaign.
	r := rand.New(rand.NewPCG(seed, uint64(d.Pairs)<<32|uint64(d.NA)<<16|uint64(d.NB)))
	draw := func(n int) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = d.SD * r.NormFloat64()
		}
		slices.Sort(xs)
		return xs
	}
	s.campaigns = make([]noise, powerCampaigns)
	for i := range s.campaigns {
		if d.Pairs > 0 {
			s.campaigns[i].a = draw(d.Pairs)
		} else {
			s.campaigns[i] = noise{draw(d.NA), draw(d.NB)}
		}
	}
	return s, "", nil
}

// chances counts the verdicts about a true shift of effect.
func (s simulation) chances(effect, margin float64) Chances {
	var better, worse, equivalent int
	for _, c := range s.campaigns {
		switch {
		case c.wrong(effect-margin) <= s.critical:
			better++
		case c.against(effect+margin) <= s.critical:
			worse++
		case c.wrong(effect+margin) <= s.critical && c.against(effect-margin) <= s.critical:
			equivalent++
		}
	}
	n := float64(len(s.campaigns))
	return Chances{
		Better:       float64(better) / n,
		Worse:        float64(worse) / n,
		Equivalent:   float64(equivalent) / n,
		Inconclusive: float64(len(s.campaigns)-better-worse-equivalent) / n,
	}
}

// rejected is the share of campaigns in which a shift is found to lie above
// something that it exceeds by so much.
func (s simulation) rejected(excess float64) float64 {
	found := 0
	for _, c := range s.campaigns {
		if c.wrong(excess) <= s.critical {
			found++
		}
	}
	return float64(found) / float64(len(s.campaigns))
}

// widest bounds the noise, so that a shift of twice as much is always found.
func (s simulation) widest() float64 {
	var widest float64
	for _, c := range s.campaigns {
		for _, xs := range [][]float64{c.a, c.b} {
			if len(xs) > 0 {
				widest = max(widest, -xs[0], xs[len(xs)-1])
			}
		}
	}
	return 1.5 * widest
}

// wrong is the evidence against "shifted upwards", for noise moved by shift:
// the sum of the ranks of the negative differences, or the number of pairs with
// b below a.
func (c noise) wrong(shift float64) int {
	if c.b == nil {
		return negativeRanks(c.a, shift)
	}
	pairs, i := 0, 0
	for _, b := range c.b { // a_0 … a_(i−1) lie below b
		for i < len(c.a) && c.a[i] < b+shift {
			i++
		}
		pairs += len(c.a) - i
	}
	return pairs
}

// against is the evidence against "shifted downwards".
func (c noise) against(shift float64) int {
	if c.b == nil {
		return len(c.a)*(len(c.a)+1)/2 - negativeRanks(c.a, shift)
	}
	return len(c.a)*len(c.b) - c.wrong(shift)
}

// negativeRanks merges the sorted values from both ends, where they are
// farthest from 0.
func negativeRanks(sorted []float64, shift float64) int {
	sum, low, high := 0, 0, len(sorted)-1
	for rank := len(sorted); rank > 0; rank-- {
		if bottom, top := sorted[low]+shift, sorted[high]+shift; -bottom >= top {
			if bottom <= 0 {
				sum += rank
			}
			low++
		} else {
			high--
		}
	}
	return sum
}
