package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// powerCampaigns is the number of simulated campaigns behind a power. The
// standard error of a share is then at most 0.008.
const powerCampaigns = 4000

// Design is a comparison that is planned: paired, of Pairs blocks, or unpaired,
// of NA against NB values.
type Design struct {
	Pairs  int
	NA, NB int // when Pairs is 0
	// Margin is the smallest shift of interest, on the scale of differences.
	Margin float64
	// SD is the standard deviation of the paired differences, or of the values
	// of each side when unpaired, on the same scale. Noise is taken to be
	// normal.
	SD float64
	// Family is the number of comparisons that are decided together; 0 is 1.
	// Alpha is the level that the family shares, and every comparison has to
	// meet Alpha/Family, on the safe side of Holm; 0 is VerdictAlpha.
	Family int
	Alpha  float64
}

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

// size is the number of pairs, or of values of the smaller side.
func (d Design) size() int {
	if d.Pairs > 0 {
		return d.Pairs
	}
	return min(d.NA, d.NB)
}

// level is what one comparison has to meet.
func (d Design) level() float64 {
	alpha := d.Alpha
	if alpha == 0 {
		alpha = VerdictAlpha
	}
	return alpha / float64(max(1, d.Family))
}

func (d Design) check() error {
	switch {
	case d.Pairs < 0 || d.NA < 0 || d.NB < 0 || max(d.Pairs, d.NA, d.NB) > MaxPairs:
		return fmt.Errorf("a design has 1 to %d values on a side", MaxPairs)
	case d.Pairs > 0 && d.NA+d.NB > 0, d.Pairs == 0 && min(d.NA, d.NB) == 0:
		return errors.New("a design is either paired or has values on both sides")
	case d.Family < 0:
		return fmt.Errorf("a family of %d comparisons cannot be decided", d.Family)
	case math.IsNaN(d.SD) || d.SD <= 0 || d.SD > maxMagnitude/1000:
		return fmt.Errorf("standard deviation %v is not a usable number above 0", d.SD)
	}
	if err := checkAlpha(d.level()); err != nil {
		return err
	}
	return checkMargin(d.Margin)
}

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

// critical is the largest sum of the negative ranks, or of pairs in the wrong
// order, whose p-value is at most alpha; −1 when there is none. Without ties it
// depends on the sizes only.
func (d Design) critical(alpha float64) int {
	if d.Pairs > 0 {
		ranks := make([]int, d.Pairs) // twice the ranks, as everywhere
		for i := range ranks {
			ranks[i] = 2 * (i + 1)
		}
		return largest(d.Pairs*(d.Pairs+1)/2, func(sum int) bool {
			p, _ := signSumTail(ranks, 2*sum)
			return p <= alpha
		})
	}
	ranks := make([]int, d.NA+d.NB)
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	return largest(d.NA*d.NB, func(wrong int) bool {
		p, _ := subsetSumTail(ranks, d.NA, 2*wrong+d.NA*(d.NA+1))
		return p <= alpha
	})
}

// largest returns the last whole number from 0 up to most for which ok holds;
// −1 when it does not hold for 0.
func largest(most int, ok func(int) bool) int {
	low, high := -1, most+1
	for high-low > 1 {
		middle := (low + high) / 2
		if ok(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

func (d Design) tooSmall(alpha float64) string {
	if d.Pairs > 0 {
		return fmt.Sprintf("%d blocks cannot decide a family of %d: it takes %d", d.Pairs, max(1, d.Family), minBlocks(alpha))
	}
	n := 1
	for UnpairedSmallestP(n, n) > alpha {
		n++
	}
	return fmt.Sprintf("%d and %d values cannot decide a family of %d: it takes %d and %d", d.NA, d.NB, max(1, d.Family), n, n)
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
