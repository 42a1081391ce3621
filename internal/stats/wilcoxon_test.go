package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestGoldenWilcoxon(t *testing.T) {
	treatments := map[string]Zeros{"pratt": PrattZeros, "drop": DropZeros}
	for _, want := range readGolden(t).Wilcoxon {
		got, err := Wilcoxon(want.Values, treatments[want.Zeros])
		if err != nil {
			t.Fatal(err)
		}
		wanted := SignedRank{N: want.N, Zeros: len(want.Values) - want.N, Sum: want.Sum,
			Greater: want.Greater, Less: want.Less, TwoSided: want.TwoSided, Exact: want.Exact}
		if diff := cmp.Diff(wanted, got, near); diff != "" {
			t.Errorf("%s of %v (-golden +got):\n%s", want.Zeros, want.Values, diff)
		}
	}
}

// Without zeros and opposite ties, the test of claims is the Wilcoxon test; with
// them its p-values are larger, never smaller.
func TestClaimsAreNoLessCautiousThanWilcoxon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(1).Draw(t, "d")
		plain, err := Wilcoxon(d, PrattZeros)
		if err != nil {
			t.Fatal(err)
		}
		p, err := PTwoSided(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[float64]bool{}
		distinct := plain.Zeros == 0
		for _, x := range d {
			distinct = distinct && !sizes[-x]
			sizes[x] = true
		}
		if distinct && p != plain.TwoSided || p < plain.TwoSided-1e-15 {
			t.Fatalf("p = %v, Wilcoxon's %v, distinct %v", p, plain.TwoSided, distinct)
		}
	})
}

func TestWilcoxonOfZeros(t *testing.T) {
	for _, zeros := range []Zeros{PrattZeros, DropZeros} {
		got, err := Wilcoxon(make([]float64, 8), zeros)
		if err != nil {
			t.Fatal(err)
		}
		want := SignedRank{Zeros: 8, Greater: 1, Less: 1, TwoSided: 1, Exact: true, Absent: "all differences are zero"}
		if got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestGoldenSignFlip(t *testing.T) {
	for _, want := range readGolden(t).SignFlip {
		got, err := SignFlips(want.Values, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean, _ := meanSD(want.Values)
		wanted := SignFlip{N: len(want.Values), Mean: mean, Greater: want.Greater, Less: want.Less, TwoSided: want.TwoSided}
		if diff := cmp.Diff(wanted, got, near); diff != "" {
			t.Errorf("%v (-golden +got):\n%s", want.Values, diff)
		}
	}
}

// Random patterns say what all of them say, within five standard errors, the
// same for the same seed, and never that nothing is possible.
func TestRandomFlipsAgreeWithAll(t *testing.T) {
	for _, shift := range []float64{0, 0.2, 0.5, 9} {
		d := moved(laws(0)[0].sample(seeded(), 24), 1, shift)
		greater, less := allFlips(d)
		randomGreater, randomLess := randomFlips(d, 7)
		for _, p := range [][2]float64{{greater, randomGreater}, {less, randomLess}} {
			tolerance := 5*math.Sqrt(p[0]*(1-p[0])/flipResamples) + 2.0/flipResamples
			if math.Abs(p[0]-p[1]) > tolerance || p[1] <= 0 {
				t.Errorf("shifted by %v: %v by random patterns, %v by all", shift, p[1], p[0])
			}
		}
	}
	d := laws(0)[0].sample(seeded(), 40)
	first, err := SignFlips(d, 3)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := SignFlips(d, 3); err != nil || first != second || first.Resamples != flipResamples {
		t.Errorf("the same seed gave %+v and %+v, %v", first, second, err)
	}
}

func TestTooManyPairs(t *testing.T) {
	d := laws(0)[0].sample(seeded(), MaxPairs+1)
	if _, err := PairedShift(d, 0.95); err == nil {
		t.Error("more pairs than can be compared: no error")
	}
	got, err := PairedShift(d[:400], 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if half := got.Interval.HalfWidth(); half < 0.08 || half > 0.12 {
		t.Errorf("half-width of 400 normal differences is %v, want about 0.1", half)
	}
}
