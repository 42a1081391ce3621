package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTrendOfNothing(t *testing.T) {
	tests := []struct {
		x, y []float64
		want string
	}{
		{nil, nil, "need at least 2 values for a trend"},
		{[]float64{1}, []float64{5}, "need at least 2 values for a trend"},
		{[]float64{1, 2, 3}, []float64{5, 5, 5}, "all values are equal"},
		{[]float64{2, 2}, []float64{5, 6}, "all values are equal"},
		{[]float64{1, 2, 3}, []float64{5, 6, 7}, ""},
	}
	for _, test := range tests {
		got, err := Kendall(test.x, test.y)
		if err != nil {
			t.Fatal(err)
		}
		missing := math.IsNaN(got.Tau) && math.IsNaN(got.P)
		if got.Absent != test.want || missing != (test.want != "") {
			t.Errorf("Kendall(%v, %v) = %+v, want absent %q", test.x, test.y, got, test.want)
		}
	}
}

func TestTrendIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(eighths(), 3, 12).Draw(t, "x")
		y := rapid.SliceOfN(eighths(), len(x), len(x)).Draw(t, "y")
		forwards := mustKendall(t, x, y)
		if forwards.Absent != "" {
			t.Skip("a constant series")
		}
		if swapped := mustKendall(t, y, x); swapped != forwards {
			t.Fatalf("swapped: %+v, want %+v", swapped, forwards)
		}
		backwards := forwards
		backwards.Tau = -forwards.Tau
		if got := mustKendall(t, negated(x), y); got != backwards {
			t.Fatalf("reversed: %+v, want %+v", got, backwards)
		}
		if math.Abs(forwards.Tau) > 1+1e-15 || forwards.P < 0 || forwards.P > 1 {
			t.Fatalf("out of range: %+v", forwards)
		}
	})
}

func mustKendall(t *rapid.T, x, y []float64) Trend {
	trend, err := Kendall(x, y)
	if err != nil {
		t.Fatal(err)
	}
	return trend
}
