package profile

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// drawn is a campaign of made-up variants.
func drawn(t *rapid.T) campaign {
	c := campaign{blocks: rapid.IntRange(1, 12).Draw(t, "blocks"), noise: rapid.Float64Range(0, 0.05).Draw(t, "noise")}
	for i := range rapid.IntRange(1, 5).Draw(t, "variants") {
		c.variants = append(c.variants, figures{
			name:    string(rune('a' + i)),
			gbits:   rapid.Float64Range(1, 50).Draw(t, "gbits"),
			latency: rapid.Float64Range(20, 500).Draw(t, "latency"),
			memory:  rapid.Float64Range(0, 500).Draw(t, "memory"),
		})
	}
	return c
}

func drawnNeed(t *rapid.T) Profile {
	weight := rapid.Float64Range(0.1, 10)
	return need(weight.Draw(t, "throughput"), weight.Draw(t, "p99"), weight.Draw(t, "memory"))
}

// Only the ratio of weights matters.
func TestScaleOfWeights(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, p := drawn(rt).analyze(t), drawnNeed(rt)
		once := rank(t, p, a)
		factor := math.Ldexp(1, rapid.IntRange(-4, 4).Draw(rt, "factor")) // exact
		scaled := p
		scaled.Weights = slices.Clone(p.Weights)
		for i := range scaled.Weights {
			scaled.Weights[i].Weight *= factor
		}
		again := rank(t, scaled, a)
		if diff := cmp.Diff(once, again, cmpopts.IgnoreFields(Ranking{}, "Profile")); diff != "" {
			rt.Errorf("weights times %g (-once +scaled):\n%s", factor, diff)
		}
	})
}

// The order in which a campaign names its variants decides nothing.
func TestOrderOfVariants(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, p := drawn(rt).analyze(t), drawnNeed(rt)
		once := rank(t, p, a)
		shuffled := a
		order := rapid.Permutation(a.Plan.Variants).Draw(rt, "order")
		shuffled.Plan.Variants = order
		again := rank(t, p, shuffled)
		if diff := cmp.Diff(once.Standings, again.Standings); diff != "" {
			rt.Errorf("standings (-once +shuffled):\n%s", diff)
		}
	})
}

// Variants with the same figures are never told apart.
func TestIdenticalVariants(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawn(rt)
		c.noise, c.blocks = 0, 12
		copied := c.variants[0]
		copied.name = "z"
		c.variants = append(c.variants, copied)
		r := rank(t, drawnNeed(rt), c.analyze(t))
		var first, second Standing
		for _, s := range r.Standings {
			switch s.Variant {
			case c.variants[0].name:
				first = s
			case "z":
				second = s
			}
		}
		if first.Leading != second.Leading || first.Letters != second.Letters {
			rt.Errorf("told apart: %+v and %+v", first, second)
		}
		if *first.Wins != *second.Wins {
			rt.Errorf("one wins %g, the other %g", *first.Wins, *second.Wins)
		}
	})
}

// What is better in everything by far is never behind.
func TestDominance(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawn(rt)
		c.variants = append(c.variants, figures{name: "z", gbits: 200, latency: 5, memory: -200})
		r := rank(t, drawnNeed(rt), c.analyze(t))
		if r.Standings[0].Variant != "z" || !r.Standings[0].Leading {
			rt.Errorf("first is %+v", r.Standings[0])
		}
	})
}

// Shares are shares, and the one who leads alone is the first.
func TestRankingHolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rank(t, drawnNeed(rt), drawn(rt).analyze(t))
		if len(r.Leading) == 0 {
			rt.Fatal("nobody leads")
		}
		var wins float64
		for _, s := range r.Standings {
			if s.Wins != nil {
				wins += *s.Wins
			}
		}
		if r.Resamples > 0 && math.Abs(wins-1) > 1e-9 {
			rt.Errorf("shares of wins add up to %g", wins)
		}
	})
}
