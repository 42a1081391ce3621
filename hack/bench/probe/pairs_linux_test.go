package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPlanPairs(t *testing.T) {
	for _, c := range []struct {
		sd     float64
		most   int
		margin float64
		pairs  int
		over   bool // more are needed than there may be
	}{
		{0, 400, 0.005, 20, false},
		{0.01, 400, 0.005, 45, false},
		{0.029, 400, 0.005, 373, false},
		{0.031, 400, 0.01, 107, false}, // too many for the narrow margin
		{0.1, 400, 0.01, 400, true},
	} {
		p := planPairs(c.sd, c.most)
		if p.margin != c.margin || p.pairs != c.pairs || (p.planned > p.pairs) != c.over {
			t.Errorf("planPairs(%v) = %+v, want %+v", c.sd, p, c)
		}
	}
}

// The planned number finds equivalence in about four of five series without a
// difference, and a difference at the margin is not taken for none.
func TestPlannedPowerIsAttained(t *testing.T) {
	const sd, series = 0.01, 200
	p := planPairs(sd, 400)
	random := rand.New(rand.NewPCG(1, 2))
	found := func(shift float64) (n int) {
		for range series {
			d := make([]float64, p.pairs)
			for i := range d {
				d[i] = shift + sd*random.NormFloat64()
			}
			text, err := judge(d, p.margin)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(text, "equivalent") {
				n++
			}
		}
		return n
	}
	if n := found(0); n < 140 || n > 180 {
		t.Errorf("%d of %d series without a difference are found equivalent, planned are 160", n, series)
	}
	if n := found(0.005); n > 12 {
		t.Errorf("%d of %d series at the margin are found equivalent", n, series)
	}
}
