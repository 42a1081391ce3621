package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestGoldenQuantile(t *testing.T) {
	for _, want := range readGolden(t).Quantiles {
		got, err := Quantile(want.Values, want.Q, want.Confidence)
		if err != nil {
			t.Fatal(err)
		}
		low, high := math.Inf(-1), math.Inf(1)
		if want.Low != nil {
			low = *want.Low
		}
		if want.High != nil {
			high = *want.High
		}
		wanted := [4]float64{want.Estimate, want.HarrellDavis, low, high}
		found := [4]float64{got.Estimate, got.HarrellDavis, got.Interval.Low, got.Interval.High}
		if diff := cmp.Diff(wanted, found, near); diff != "" {
			t.Errorf("quantile %v of %d values at %v (-golden +got):\n%s", want.Q, len(want.Values), want.Confidence, diff)
		}
		if (got.Interval.Absent == "") != (want.Low != nil && want.High != nil) || got.Interval.Coverage < want.Confidence {
			t.Errorf("quantile %v of %d values: %+v", want.Q, len(want.Values), got.Interval)
		}
	}
}

// The median is a quantile; both ways to its interval agree.
func TestMedianIsAQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := differences(6).Draw(t, "xs")
		summary, err := Summarize(xs, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Quantile(xs, 0.5, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(summary.MedianInterval, got.Interval, near); diff != "" || !cmp.Equal(summary.Median, got.Estimate, near) {
			t.Fatalf("median %v, quantile %v (-median +quantile):\n%s", summary.Median, got.Estimate, diff)
		}
	})
}

func TestQuantilesAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := differences(1).Draw(t, "xs")
		last := QuantileEstimate{Estimate: math.Inf(-1), HarrellDavis: math.Inf(-1), Interval: unbounded(0.9)}
		last.Interval.High = math.Inf(-1)
		for _, q := range []float64{0.01, 0.25, 0.5, 0.75, 0.99} {
			got, err := Quantile(xs, q, 0.9)
			if err != nil {
				t.Fatal(err)
			}
			if got.Estimate < last.Estimate || got.HarrellDavis < last.HarrellDavis-1e-9 ||
				got.Interval.Low < last.Interval.Low || got.Interval.High < last.Interval.High {
				t.Fatalf("%+v comes after %+v", got, last)
			}
			last = got
		}
	})
}

// 0.99^n ≤ 0.025 from n = 368 on.
func TestQuantileSaysWhatItNeeds(t *testing.T) {
	want := "need at least 368 values for both ends of a 95 % interval of the 99 % quantile"
	for n, absent := range map[int]string{10: want, 367: want, 368: ""} {
		got, err := Quantile(laws(0)[0].sample(seeded(), n), 0.99, 0.95)
		if err != nil || got.Interval.Absent != absent {
			t.Errorf("n = %d: %+v, %v, want absent %q", n, got.Interval, err, absent)
		}
	}
}
