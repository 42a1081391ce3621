package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestGoldenUnpairedShift(t *testing.T) {
	for _, want := range readGolden(t).Unpaired {
		t.Run(want.Name, func(t *testing.T) {
			for _, interval := range want.Intervals {
				got, err := ShiftBetween(want.A, want.B, interval.Confidence)
				if err != nil {
					t.Fatal(err)
				}
				checkInterval(t, interval, got.Interval)
				if !cmp.Equal(want.Estimate, got.Estimate, near) || !got.Exact {
					t.Errorf("estimate %v, exact %v, want %v", got.Estimate, got.Exact, want.Estimate)
				}
			}
			for _, p := range want.LimitP {
				atMost, err := PBetweenAtMost(want.A, want.B, p.M)
				if err != nil {
					t.Fatal(err)
				}
				atLeast, err := PBetweenAtLeast(want.A, want.B, p.M)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(p, goldenP{p.M, atMost, atLeast}, near); diff != "" {
					t.Errorf("p-values (-golden +got):\n%s", diff)
				}
			}
		})
	}
}

func TestGoldenMannWhitney(t *testing.T) {
	for _, want := range readGolden(t).MannWhitney {
		got, err := MannWhitney(want.A, want.B)
		if err != nil {
			t.Fatal(err)
		}
		na, nb := len(want.A), len(want.B)
		wanted := RankSum{NA: na, NB: nb, U: want.U, Delta: 2*want.U/float64(na*nb) - 1,
			Greater: want.Greater, Less: want.Less, TwoSided: want.TwoSided, Exact: want.Exact}
		if diff := cmp.Diff(wanted, got, near); diff != "" {
			t.Errorf("%v against %v (-golden +got):\n%s", want.A, want.B, diff)
		}
	}
}

func TestGoldenWelch(t *testing.T) {
	for _, want := range readGolden(t).Welch {
		got, err := WelchT(want.A, want.B, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		wanted := Welch{NA: len(want.A), NB: len(want.B), Difference: want.Difference,
			Interval: Interval{Low: want.Low, High: want.High, Confidence: 0.95, Coverage: 0.95},
			T:        want.T, DF: want.DF, Greater: want.Greater, Less: want.Less, TwoSided: want.TwoSided}
		if diff := cmp.Diff(wanted, got, near); diff != "" {
			t.Errorf("%v against %v (-golden +got):\n%s", want.A, want.B, diff)
		}
	}
}

func TestGoldenTails(t *testing.T) {
	tails := readGolden(t).Tails
	for _, want := range tails.Student {
		if got := studentTail(want.T, want.DF); !cmp.Equal(want.Tail, got, near) {
			t.Errorf("P(T ≥ %v), %v degrees of freedom: %v, want %v", want.T, want.DF, got, want.Tail)
		}
	}
	for _, want := range tails.StudentQuantile {
		if got := studentQuantile(want.Tail, want.DF); !cmp.Equal(want.T, got, near) {
			t.Errorf("t of tail %v, %v degrees of freedom: %v, want %v", want.Tail, want.DF, got, want.T)
		}
	}
	for _, want := range tails.Beta {
		if got := betaShare(want.X, want.A, want.B); !cmp.Equal(want.Share, got, near) {
			t.Errorf("I(%v; %v, %v) = %v, want %v", want.X, want.A, want.B, got, want.Share)
		}
	}
}

// The permeability constants of the human chorioamnion, Hollander and Wolfe,
// example 4.1, as in the documentation of R's wilcox.test: W = 35, one-sided
// p = 0.1272, and the interval (−0.76, 0.15) about −0.305.
func TestUnpairedPublishedExample(t *testing.T) {
	x := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	y := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	test, err := MannWhitney(y, x)
	if err != nil {
		t.Fatal(err)
	}
	if test.U != 35 || math.Abs(test.Greater-0.1272) > 0.00005 {
		t.Errorf("U = %v, p = %v, want 35 and 0.1272", test.U, test.Greater)
	}
	shift, err := ShiftBetween(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	approximately := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	want := UnpairedShift{NA: 10, NB: 5, Estimate: -0.305, Exact: true, SmallestP: 1.0 / 3003,
		Interval: Interval{Low: -0.76, High: 0.15, Confidence: 0.95, Coverage: 1 - 2*60.0/3003}}
	if diff := cmp.Diff(want, shift, approximately); diff != "" {
		t.Errorf("shift (-book +got):\n%s", diff)
	}
}

func drawSides(t *rapid.T) (a, b []float64) {
	return differences(1).Draw(t, "a"), differences(1).Draw(t, "b")
}

func mustBetween(t *rapid.T, a, b []float64, confidence float64) UnpairedShift {
	shift, err := ShiftBetween(a, b, confidence)
	if err != nil {
		t.Fatal(err)
	}
	return shift
}

func TestUnpairedShiftIsEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		confidence := confidences().Draw(t, "confidence")
		by := eighths().Draw(t, "by")
		scale := rapid.SampledFrom([]float64{1, 2, 0.5}).Draw(t, "scale")
		want := mustBetween(t, a, b, confidence)
		want.Estimate = scale*want.Estimate + by
		want.Interval.Low, want.Interval.High = scale*want.Interval.Low+by, scale*want.Interval.High+by
		got := mustBetween(t, moved(a, scale, 1), moved(b, scale, 1+by), confidence)
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("moved by %v (-want +got):\n%s", by, diff)
		}
	})
}

func TestUnpairedSidesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		want := mustBetween(t, a, b, 0.95)
		want.NA, want.NB, want.Interval.Absent = want.NB, want.NA, "" // its words name the sides in order
		want.Estimate = 0 - want.Estimate
		want.Interval.Low, want.Interval.High = 0-want.Interval.High, 0-want.Interval.Low
		shuffled := rapid.Permutation(a).Draw(t, "shuffled")
		got := mustBetween(t, b, shuffled, 0.95)
		got.Interval.Absent = ""
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("sides exchanged (-want +got):\n%s", diff)
		}
		forth, err := MannWhitney(a, b)
		if err != nil {
			t.Fatal(err)
		}
		back, err := MannWhitney(b, shuffled)
		if err != nil {
			t.Fatal(err)
		}
		if forth.Greater != back.Less || forth.TwoSided != back.TwoSided || !cmp.Equal(forth.Delta, -back.Delta, near) {
			t.Fatalf("exchanged, %+v became %+v", forth, back)
		}
	})
}

// As for pairs: a shift is rejected if and only if it lies outside the
// interval, ties or not; and p only grows with the shift.
func TestUnpairedIntervalIsTheSetOfAcceptedShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		confidence := confidences().Draw(t, "confidence")
		shift := mustBetween(t, a, b, confidence)
		alpha := (1 - confidence) / 2
		s, err := newTwoSamples(a, b)
		if err != nil {
			t.Fatal(err)
		}
		steps := s.differences()
		candidates := slices.Concat(steps, moved(steps, 1, 1.0/65536))
		slices.Sort(candidates)
		last := 0.0
		for _, m := range candidates {
			atMost, _ := s.pAtMost(m)
			atLeast, _ := s.turned().pAtMost(-m)
			if (atMost <= alpha) != (m < shift.Interval.Low) || (atLeast <= alpha) != (m > shift.Interval.High) {
				t.Fatalf("m = %v: p %v and %v do not agree with %+v", m, atMost, atLeast, shift.Interval)
			}
			if atMost < last {
				t.Fatalf("p falls from %v to %v at m = %v", last, atMost, m)
			}
			last = atMost
		}
	})
}

func TestUnpairedVerdictAgreesWithInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawSides(t)
		margin := max(0, eighths().Draw(t, "margin"))
		claims, err := ClaimsBetween(a, b, margin)
		if err != nil {
			t.Fatal(err)
		}
		iv := mustBetween(t, a, b, 1-2*VerdictAlpha).Interval
		want := Inconclusive
		switch {
		case iv.Low > margin:
			want = Better
		case iv.High < -margin:
			want = Worse
		case -margin < iv.Low && iv.High < margin:
			want = Equivalent
		}
		if got := claims.verdict(VerdictAlpha); got != want {
			t.Fatalf("claims %+v say %s, interval %+v says %s", claims, got, iv, want)
		}
	})
}

// The three ways to a rank-sum tail agree where they meet.
func TestSubsetSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		weights := make([]int, n)
		for i := range weights {
			weights[i] = i
		}
		bound := rapid.IntRange(0, n*k).Draw(t, "bound")
		distinct, tied := distinctSubsets(n, k, bound), tiedSubsets(weights, k, bound)
		if distinct != tied {
			t.Fatalf("%v subsets of distinct weights, counted as tied: %v", distinct, tied)
		}
	})
	ranks := make([]int, 56) // the largest samples of equal size that are counted
	for i := range ranks {
		ranks[i] = 2 * (i + 1)
	}
	for _, t2 := range []int{1200, 1300, 1340, 1356, 1370, 1400} {
		exact, counted := subsetSumTail(ranks, 28, t2)
		approximate := normalSubsetTail(ranks, 28, t2)
		if !counted || math.Abs(exact-approximate) > 0.001 {
			t.Errorf("28 of 56, sum %d: %v, by the normal approximation %v", t2, exact, approximate)
		}
	}
}

func TestUnpairedLargeSamplesAreApproximate(t *testing.T) {
	r := seeded()
	a, b := laws(0)[0].sample(r, 150), moved(laws(0)[0].sample(r, 150), 1, 1)
	got, err := ShiftBetween(a, b, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if got.Exact || got.Interval.Low > 1 || got.Interval.High < 1 || got.Interval.HalfWidth() > 0.4 {
		t.Errorf("shift of 150 against 150 normal values, one apart: %+v", got)
	}
	if _, err := ShiftBetween(make([]float64, 3000), make([]float64, 3000), 0.95); err == nil {
		t.Error("nine million differences: no error")
	}
}

func TestUnpairedTooSmall(t *testing.T) {
	tests := []struct {
		a, b   []float64
		absent string
	}{
		{[]float64{1}, []float64{2}, "1 and 1 values are too few for a 95 % interval of the shift; 4 and 4 are enough"},
		{[]float64{1, 2, 3}, []float64{7, 8, 9}, "3 and 3 values are too few for a 95 % interval of the shift; 4 and 4 are enough"},
		{[]float64{1, 2, 3, 4}, []float64{7, 8, 9, 10}, ""},
	}
	for _, test := range tests {
		got, err := ShiftBetween(test.a, test.b, 0.95)
		if err != nil || got.Interval.Absent != test.absent {
			t.Errorf("%v against %v: %+v, %v, want absent %q", test.a, test.b, got.Interval, err, test.absent)
		}
		claims, err := ClaimsBetween(test.a, test.b, 1)
		if err != nil || (claims.verdict(VerdictAlpha) == Better) != (test.absent == "") {
			t.Errorf("%v against %v: %+v, %v", test.a, test.b, claims, err)
		}
	}
}

func TestWelchWithoutScale(t *testing.T) {
	for _, sides := range [][2][]float64{{{1}, {2, 3}}, {{1, 1}, {2, 2}}, {{1}, {1}}} {
		got, err := WelchT(sides[0], sides[1], 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if got.Absent == "" || got.Interval.Absent == "" || got.Greater != 1 || got.Less != 1 || got.TwoSided != 1 {
			t.Errorf("%v: %+v, want absent", sides, got)
		}
	}
	got, err := WelchT([]float64{1e149, -1e149}, []float64{1e-300, 2e-300}, 0.95)
	if err != nil || math.IsNaN(got.TwoSided) {
		t.Errorf("extreme values: %+v, %v", got, err)
	}
}
