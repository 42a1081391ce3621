package stats

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestShiftIsEquivariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(2).Draw(t, "d")
		confidence := confidences().Draw(t, "confidence")
		a := rapid.SampledFrom([]float64{1, -1, 2, -0.5, 8}).Draw(t, "a")
		b := eighths().Draw(t, "b")
		want := mustShift(t, d, confidence).moved(a, b)
		got := mustShift(t, moved(d, a, b), confidence)
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("shift of %v·d + %v (-want +got):\n%s", a, b, diff)
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(2).Draw(t, "d")
		before := slices.Clone(d)
		shuffled := rapid.Permutation(d).Draw(t, "shuffled")
		if diff := cmp.Diff(mustShift(t, d, 0.95), mustShift(t, shuffled, 0.95)); diff != "" {
			t.Fatalf("shift depends on order:\n%s", diff)
		}
		want, err := Summarize(d, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Summarize(shuffled, 0.95); err != nil || got != want {
			t.Fatalf("summary depends on order: %+v, %v, want %+v", got, err, want)
		}
		if !slices.Equal(d, before) {
			t.Fatalf("the caller's order of time is lost: %v, was %v", d, before)
		}
	})
}

// A shift is rejected if and only if it lies outside the interval, its ends
// included, ties or not.
func TestIntervalIsTheSetOfAcceptedShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(2).Draw(t, "d")
		confidence := confidences().Draw(t, "confidence")
		shift := mustShift(t, d, confidence)
		alpha := (1 - confidence) / 2
		walsh := walshAverages(d)
		for _, m := range append(walsh, moved(walsh, 1, 1.0/65536)...) {
			atMost, err := PAtMost(d, m)
			if err != nil {
				t.Fatal(err)
			}
			atLeast, err := PAtLeast(d, m)
			if err != nil {
				t.Fatal(err)
			}
			if (atMost <= alpha) != (m < shift.Interval.Low) || (atLeast <= alpha) != (m > shift.Interval.High) {
				t.Fatalf("m = %v: p %v and %v do not agree with %+v", m, atMost, atLeast, shift.Interval)
			}
		}
	})
}

func TestVerdictAgreesWithInterval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(1).Draw(t, "d")
		margin := max(0, eighths().Draw(t, "margin"))
		claims, err := ClaimsOf(d, margin)
		if err != nil {
			t.Fatal(err)
		}
		iv := mustShift(t, d, 1-2*VerdictAlpha).Interval
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
		if max(claims.Better, claims.Worse) < 0.5 {
			t.Fatalf("claims %+v are plausible in both directions", claims)
		}
	})
}

func TestPIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(1).Draw(t, "d")
		slices.Sort(d)
		last := SmallestP(len(d))
		for _, m := range walshAverages(d) {
			p := pAtMost(d, m)
			if p < last {
				t.Fatalf("p falls from %v to %v at m = %v", last, p, m)
			}
			last = p
		}
		if last != 1 {
			t.Fatalf("p at the largest difference is %v, want 1", last)
		}
	})
}

func TestIntervalHoldsEstimateAndKeepsConfidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(1).Draw(t, "d")
		confidence := confidences().Draw(t, "confidence")
		shift := mustShift(t, d, confidence)
		if shift.Estimate < shift.Interval.Low || shift.Estimate > shift.Interval.High {
			t.Fatalf("estimate %v lies outside %+v", shift.Estimate, shift.Interval)
		}
		summary, err := Summarize(d, confidence)
		if err != nil {
			t.Fatal(err)
		}
		for _, iv := range []Interval{shift.Interval, summary.MedianInterval} {
			if iv.Coverage < confidence-1e-12 || iv.Coverage > 1 {
				t.Fatalf("coverage of %+v is below its confidence or above 1", iv)
			}
		}
	})
}

func TestModifiedZIsScaleFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := differences(1).Draw(t, "xs")
		a := rapid.SampledFrom([]float64{1, -1, 4, -0.5}).Draw(t, "a")
		b := eighths().Draw(t, "b")
		want, err := ModifiedZ(xs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ModifiedZ(moved(xs, a, b))
		if err != nil {
			t.Fatal(err)
		}
		if a < 0 {
			want = negated(want)
		}
		if diff := cmp.Diff(want, got, near); diff != "" {
			t.Fatalf("modified z of %v·x + %v (-want +got):\n%s", a, b, diff)
		}
	})
}

func TestHolmIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "ps")
		adjusted, err := Holm(ps)
		if err != nil {
			t.Fatal(err)
		}
		larger, err := Holm(append(slices.Clone(ps), 1))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range ps {
			if adjusted[i] < p || adjusted[i] > min(1, float64(len(ps))*p) {
				t.Fatalf("p = %v was adjusted to %v in a family of %d", p, adjusted[i], len(ps))
			}
			if larger[i] < adjusted[i] {
				t.Fatalf("one more comparison lowers p from %v to %v", adjusted[i], larger[i])
			}
			for j, q := range ps {
				if p < q && adjusted[i] > adjusted[j] {
					t.Fatalf("the order of %v and %v is lost: %v and %v", p, q, adjusted[i], adjusted[j])
				}
			}
		}
	})
}

// Being in a family can take a verdict away, never give one.
func TestFamilyGivesNoVerdicts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		margin := max(0, eighths().Draw(t, "margin"))
		var family []Claims
		for range rapid.IntRange(1, 5).Draw(t, "size") {
			claims, err := ClaimsOf(differences(6).Draw(t, "d"), margin)
			if err != nil {
				t.Fatal(err)
			}
			family = append(family, claims)
		}
		decisions, err := Decide(family, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		for i, decision := range decisions {
			if alone := family[i].verdict(VerdictAlpha); decision.Verdict != alone && decision.Verdict != Inconclusive {
				t.Fatalf("comparison %d is %s in the family, %s alone", i, decision.Verdict, alone)
			}
		}
	})
}

func TestForecastGrowsWithTheFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := differences(2).Draw(t, "d")
		margin := max(0, eighths().Draw(t, "margin"))
		last := 0
		for _, family := range []float64{1, 9, 45} {
			forecast, err := FurtherBlocks(d, margin, VerdictAlpha/family)
			if err != nil {
				t.Fatal(err)
			}
			blocks := forecast.Blocks
			if forecast.Unknown != "" {
				blocks = ForecastCap + 1
			}
			if blocks < max(1, last) {
				t.Fatalf("a family of %v needs %d blocks, a smaller one %d", family, blocks, last)
			}
			last = blocks
		}
	})
}
