package stats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVerdictOfOneComparison(t *testing.T) {
	tests := []struct {
		name   string
		d      []float64
		margin float64
		want   Verdict
	}{
		{"all above the margin", []float64{4, 5, 6, 7, 8, 9}, 3, Better},
		{"all below minus the margin", []float64{-4, -5, -6, -7, -8, -9}, 3, Worse},
		{"all inside the margin", []float64{-2, -1, 0, 1, 2, 1.5}, 3, Equivalent},
		{"identical", []float64{0, 0, 0, 0, 0, 0}, 0.1, Equivalent},
		{"nothing is inside a margin of zero", []float64{0, 0, 0, 0, 0, 0}, 0, Inconclusive},
		{"an effect equal to the margin", []float64{3, 3, 3, 3, 3, 3, 3, 3}, 3, Inconclusive},
		{"real but smaller than the margin", []float64{1, 2, 1.5, 1.7, 1.2, 1.9}, 3, Equivalent},
		{"across the margin", []float64{1, 2, 3, 4, 5, 6}, 3, Inconclusive},
		{"too few blocks", []float64{50, 60, 70, 80, 90}, 3, Inconclusive},
	}
	for _, test := range tests {
		claims, err := ClaimsOf(test.d, test.margin)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decide([]Claims{claims}, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Decision{{Verdict: test.want, Adjusted: claims}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestDecideAdjustsTwoFamilies(t *testing.T) {
	family := []Claims{
		{Better: 0.001, Worse: 1, Equivalent: 1},
		{Better: 0.75, Worse: 0.01, Equivalent: 0.9},
		{Better: 0.5, Worse: 0.6, Equivalent: 0.02},
		NoClaims(),
	}
	got, err := Decide(family, VerdictAlpha)
	if err != nil {
		t.Fatal(err)
	}
	want := []Decision{
		{Better, Claims{Better: 0.004, Worse: 1, Equivalent: 1}},
		{Inconclusive, Claims{Better: 1, Worse: 0.03, Equivalent: 1}},
		{Inconclusive, Claims{Better: 1, Worse: 1, Equivalent: 0.08}},
		{Inconclusive, NoClaims()},
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
}

// Rejecting at alpha includes alpha itself, which exact p-values do hit.
func TestLevelItselfRejects(t *testing.T) {
	claims, err := ClaimsOf([]float64{4, 5, 6, 7, 8, 9}, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decide([]Claims{claims}, SmallestP(6))
	if err != nil || got[0].Verdict != Better {
		t.Errorf("six differences above the margin at level 2⁻⁶: %+v, %v, want better", got, err)
	}
}

// With 2⁻⁸ > 0.025/9 ≥ 2⁻⁹ the clearest of effects needs nine blocks in a
// family of nine.
func TestFamilyNeedsEnoughBlocks(t *testing.T) {
	for n, want := range map[int]Verdict{8: Inconclusive, 9: Better} {
		d := make([]float64, n)
		for i := range d {
			d[i] = 100 + float64(i)
		}
		claims, err := ClaimsOf(d, 3)
		if err != nil {
			t.Fatal(err)
		}
		family := []Claims{claims}
		for len(family) < 9 {
			family = append(family, NoClaims())
		}
		got, err := Decide(family, VerdictAlpha)
		if err != nil {
			t.Fatal(err)
		}
		if got[0].Verdict != want {
			t.Errorf("%d blocks: %s, want %s", n, got[0].Verdict, want)
		}
	}
}

func TestForecastBlocks(t *testing.T) {
	tests := []struct {
		name          string
		d             []float64
		margin, alpha float64
		want          Forecast
	}{
		{"one pair", []float64{1}, 3, 0.025, Forecast{Unknown: "too few values to say how many more"}},
		{"no spread, too few blocks", []float64{5, 5, 5, 5}, 3, 0.025, Forecast{Blocks: 2}},
		{"no spread, a family of nine", []float64{5, 5, 5, 5}, 3, 0.025 / 9, Forecast{Blocks: 5}},
		{"exactly at the margin", []float64{2, 3, 4, 1, 5, 3}, 3, 0.025, Forecast{Unknown: "more than 100 further blocks"}},
		{"close to the margin", []float64{2, 3, 4, 1, 5, 3.1}, 3, 0.025, Forecast{Unknown: "more than 100 further blocks"}},
	}
	for _, test := range tests {
		got, err := FurtherBlocks(test.d, test.margin, test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
