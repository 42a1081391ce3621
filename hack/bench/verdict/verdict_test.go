package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/hack/validation/blocks"
	"github.com/cnibench/cnibench/internal/stats"
)

// The test with its distribution computed once is the one that cnibench uses.
func TestSignedRankIsTheOneOfStats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{1, 6, 10, 37} {
		test := newSignedRank(n)
		for range 50 {
			d := make([]float64, n)
			for i := range d {
				d[i] = random.NormFloat64() + 0.3
			}
			want, err := stats.PAtMost(d, 0.1)
			if err != nil {
				t.Fatal(err)
			}
			if got := test.greater(d, 0.1); math.Abs(got-want) > 1e-12 {
				t.Fatalf("n = %d: p = %v, want %v", n, got, want)
			}
		}
	}
}

// recorded makes the table that an A/A series of this noise would have.
func recorded(n noise, blocksEach, campaigns int) blocks.Table {
	table := blocks.Table{Arms: []string{"a", "b"}}
	random := rand.New(rand.NewPCG(2, 0))
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for c := range campaigns {
		w := newWorld(n, 0, random)
		for block := 1; block <= blocksEach; block++ {
			row := blocks.Row{Campaign: fmt.Sprint(c), Block: block, Start: begin.Add(time.Duration(w.time * float64(time.Second))), Order: []string{"a", "b"}}
			for range table.Arms {
				row.Values = append(row.Values, 1e9*math.Exp(w.trial(1)))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

func TestNoiseIsFoundAgain(t *testing.T) {
	for name, want := range map[string]noise{
		"fast alone":    {fast: 0.05, constant: 1, overhead: 0.6},
		"fast and slow": {fast: 0.05, slow: 0.08, constant: 12, overhead: 0.6},
	} {
		got, err := noiseOf(recorded(want, 400, 25))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.fast-want.fast) > 0.01 || math.Abs(got.slow-want.slow) > 0.015 || math.Abs(got.overhead-want.overhead) > 0.01 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if want.slow > 0 && (got.constant < want.constant/2 || got.constant > want.constant*2) {
			t.Errorf("%s: time constant %v, want %v", name, got.constant, want.constant)
		}
	}
	if _, err := noiseOf(blocks.Table{Arms: []string{"a", "b"}}); err == nil {
		t.Error("noise of nothing")
	}
}

// Drift spoils what is measured one after the other and not what is measured in
// blocks.
func TestDriftSpoilsSequences(t *testing.T) {
	n := noise{fast: 0.05, constant: 1, overhead: 0.6}
	s := simulation{noise: n, drift: 0.10 / 1212, samples: 300, seed: 1}
	theirs, err := s.sharesOf(published)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := s.sharesOf(protocol{seconds: 10, measure: blocked, test: &signedRank{}}.with(10))
	if err != nil {
		t.Fatal(err)
	}
	if theirs.difference < 0.3 || ours.difference > 0.1 {
		t.Errorf("differences of nothing: %v one after the other, %v in blocks", theirs.difference, ours.difference)
	}
}

func TestSmallestReachesThePower(t *testing.T) {
	s := simulation{noise: noise{fast: 0.05, constant: 1, overhead: 0.6}, samples: 300, seed: 1}
	p, can, err := s.smallest(protocol{seconds: 1, measure: blocked, test: &signedRank{}}, 6)
	if err != nil || !can {
		t.Fatal(can, err)
	}
	// A difference has a standard deviation of 7.1 %, so that a t-test would
	// need ((1.96 + 1.64) · 7.1 / 4.7)² = 29 blocks.
	if p.trials < 20 || p.trials > 45 {
		t.Errorf("%d blocks", p.trials)
	}
}

func TestTableIsOfTheSeed(t *testing.T) {
	print := func() string {
		var b strings.Builder
		if err := run([]string{"-samples", "100", "-fast", "0.03"}, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := print()
	if second := print(); second != first {
		t.Errorf("printed\n%s\nand\n%s", first, second)
	}
	for _, want := range []string{"drift 0 %", "drift 10 %", "times that"} {
		if !strings.Contains(first, want) {
			t.Errorf("nothing about %q in\n%s", want, first)
		}
	}
}
