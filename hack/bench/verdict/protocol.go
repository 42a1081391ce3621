package main

import (
	"math"

	"github.com/cnibench/cnibench/internal/stats"
)

// The question that both protocols are asked.
const (
	margin = 0.03
	effect = 0.08
	power  = 0.95
)

// protocol is a way to a verdict about B against A.
type protocol struct {
	name    string
	seconds int // of load in a trial
	trials  int // of each variant; 0: the data tell
	// measure returns a campaign's claim; shift is the truth.
	measure func(w *world, p protocol, shift float64) (claim, error)
	test    *signedRank // of so many trials; only blocks need it
}

// claim answers two questions about a campaign's data: is B better by more than
// m, one-sided; and is there any difference, two-sided at twice the level.
type claim struct {
	better    func(m float64) (bool, error)
	different func() (bool, error)
}

// with is the protocol with so many trials.
func (p protocol) with(trials int) protocol {
	p.trials = trials
	if p.test != nil {
		test := newSignedRank(trials)
		p.test = &test
	}
	return p
}

// blocked measures both in every block, in an order that is balanced over two
// blocks, and tests within blocks.
func blocked(w *world, p protocol, shift float64) (claim, error) {
	d := pairs(w, p.trials, p.seconds, shift)
	return claim{
		func(m float64) (bool, error) { return p.test.greater(d, m) <= stats.VerdictAlpha, nil },
		func() (bool, error) {
			greater := p.test.greater(d, 0)
			for i := range d {
				d[i] = -d[i]
			}
			return min(greater, p.test.greater(d, 0)) <= stats.VerdictAlpha, nil
		},
	}, nil
}

// pairs returns the differences of so many blocks, whose number is even or the
// last order has no counterpart.
func pairs(w *world, blocks, seconds int, shift float64) []float64 {
	d := make([]float64, blocks)
	swapped := false
	for i := range d {
		if i%2 == 0 {
			swapped = w.random.IntN(2) == 0
		} else {
			swapped = !swapped
		}
		x, y := w.trial(seconds), w.trial(seconds)
		if swapped { // B came first
			x, y = y, x
		}
		d[i] = y - x + shift
	}
	return d
}

// looking measures blocks until their interval reaches no further than the
// margin to either side, and looks only after 10, 15 and 20 of them.
func looking(w *world, p protocol, shift float64) (claim, error) {
	rule := stats.DefaultLooks()
	var d []float64
	for _, n := range rule.Looks {
		d = append(d, pairs(w, n-len(d), p.seconds, shift)...)
		look, err := rule.Look(n, []stats.Precision{{D: d, HalfWidth: math.Log1p(margin)}})
		if err != nil {
			return claim{}, err
		}
		if look.Stop {
			break
		}
	}
	return claim{
		func(m float64) (bool, error) {
			at, err := stats.PAtMost(d, m)
			return at <= rule.Alpha(), err
		},
		func() (bool, error) {
			two, err := stats.PTwoSided(d, 0)
			return two <= 2*rule.Alpha(), err
		},
	}, nil
}

// sequential measures all of A, then all of B, and compares the means by Welch's
// t-test, as a published guide does.
func sequential(w *world, p protocol, shift float64) (claim, error) {
	a, b := make([]float64, p.trials), make([]float64, p.trials)
	for i := range a {
		a[i] = w.trial(p.seconds)
	}
	for i := range b {
		b[i] = w.trial(p.seconds) + shift
	}
	return claim{
		func(m float64) (bool, error) {
			beyond := make([]float64, len(b))
			for i := range b {
				beyond[i] = b[i] - m
			}
			t, err := stats.WelchT(a, beyond, 0.95)
			return t.Greater <= stats.VerdictAlpha, err
		},
		func() (bool, error) {
			t, err := stats.WelchT(a, b, 0.95)
			return t.TwoSided <= 2*stats.VerdictAlpha, err
		},
	}, nil
}
