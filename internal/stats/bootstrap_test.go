package stats

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Random numbers differ from SciPy's, so its resamples are given.
func TestGoldenBCa(t *testing.T) {
	for _, want := range readGolden(t).BCa {
		got := bcaInterval(want.Estimate, slices.Clone(want.Replicates), want.Left, want.Confidence)
		if !cmp.Equal(want.Low, got.Low, near) || !cmp.Equal(want.High, got.High, near) || got.Absent != "" {
			t.Errorf("%s: %+v, want %v to %v", want.Statistic, got, want.Low, want.High)
		}
	}
}

func meanOf(xs []float64) func([]int) float64 {
	return func(rows []int) float64 {
		var sum float64
		for _, row := range rows {
			sum += xs[row]
		}
		return sum / float64(len(rows))
	}
}

func TestBCaOfTheMean(t *testing.T) {
	xs := laws(0)[0].sample(seeded(), 50)
	got, err := BCa(len(xs), meanOf(xs), 0.95, 4000, 11)
	if err != nil {
		t.Fatal(err)
	}
	mean, sd := meanSD(xs)
	want := 1.96 * sd / math.Sqrt(50)
	if !cmp.Equal(mean, got.Estimate, near) || math.Abs(got.Interval.HalfWidth()-want) > 0.1*want {
		t.Errorf("%+v, want %v ± %v", got, mean, want)
	}
	again, err := BCa(len(xs), meanOf(xs), 0.95, 4000, 11)
	if err != nil || again.Interval.Low != got.Interval.Low || again.Interval.High != got.Interval.High {
		t.Errorf("the same seed gave %+v and %+v, %v", got, again, err)
	}
}

func TestBCaOfLittle(t *testing.T) {
	constant := func([]int) float64 { return 3 }
	never := func([]int) float64 { return math.NaN() }
	largest := func(rows []int) float64 { return float64(slices.Max(rows)) }
	tests := []struct {
		name      string
		n         int
		statistic func([]int) float64
		absent    string
	}{
		{"few values", 7, largest, "need at least 8 values for a bootstrap"},
		{"one value", 1, constant, "need at least 8 values for a bootstrap"},
		{"constant", 20, constant, "the statistic is the same in all resamples"},
		{"not a number", 20, never, "the statistic of some resamples is not a number"},
	}
	for _, test := range tests {
		got, err := BCa(test.n, test.statistic, 0.95, 500, 1)
		if err != nil || got.Interval.Absent != test.absent || !math.IsInf(got.Interval.High, 1) {
			t.Errorf("%s: %+v, %v, want absent %q", test.name, got, err, test.absent)
		}
	}
}
