package doctor

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFall(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rates []float64
		at    int
	}{
		{"steady", steady(30, 10), 0},
		{"a bucket runs dry", slices.Concat(steady(8, 10), steady(20, 4)), 8},
		{"a fall of ten per cent", slices.Concat(steady(8, 10), steady(20, 9)), 0},
		{"a rise", slices.Concat(steady(8, 4), steady(20, 10)), 0},
		{"a dip", slices.Concat(steady(10, 10), steady(4, 3), steady(16, 10)), 0},
		{"to and fro", []float64{10, 4, 10, 4, 10, 4, 10, 4, 10, 4, 10, 4}, 0},
		{"nothing passes", make([]float64, 20), 0},
		{"it ends in nothing", slices.Concat(steady(8, 10), make([]float64, 12)), 8},
		{"not a number", slices.Concat(steady(8, 10), []float64{math.NaN()}, steady(20, 4)), 0},
		{"infinite", slices.Concat([]float64{math.Inf(1)}, steady(8, 10), steady(20, 4)), 0},
		{"too short", []float64{10, 10, 4, 4}, 0},
		{"empty", nil, 0},
	} {
		if at, before, after := fall(tt.rates); at != tt.at {
			t.Errorf("%s: it falls after %d intervals, from %v to %v; want %d", tt.name, at, before, after, tt.at)
		}
	}
}

// A fall that is named is one: both sides have intervals, and the second is
// lower by what is worth a word.
func TestFallProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOf(rapid.Float64Range(0, 1e11)).Draw(t, "rates")
		at, before, after := fall(rates)
		if at == 0 {
			return
		}
		if at < leastBurst || len(rates)-at < leastBurst || after > (1-leastFall)*before {
			t.Errorf("%v: it falls after %d, from %v to %v", rates, at, before, after)
		}
	})
}

func TestCPUsIn(t *testing.T) {
	for text, want := range map[string][]int{
		"CPUs 0-2,5": {0, 1, 2, 5}, "CPUs 0-1 (0-7); CPUs 9 (8)": {0, 1, 9}, "": nil, "CPUs x-3": nil, "-1,99999999": nil, "3-": nil,
	} {
		got := cpusIn(text)
		if len(got) != len(want) || len(notWithin(got, toSet(want))) > 0 {
			t.Errorf("%q has CPUs %v, want %v", text, got, want)
		}
	}
}

func toSet(list []int) map[int]bool {
	set := map[int]bool{}
	for _, n := range list {
		set[n] = true
	}
	return set
}
