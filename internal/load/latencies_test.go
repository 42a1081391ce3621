package load

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestLatencies(t *testing.T) {
	var measured []time.Duration
	for i := range 1000 { // 1 to 1000 µs, in disorder
		measured = append(measured, time.Duration((i*7)%1000+1)*time.Microsecond)
	}
	l := SortedLatencies(measured)
	if l.Mean() != 500500*time.Nanosecond {
		t.Errorf("mean %v", l.Mean())
	}
	// The variance of 1 … n is n(n+1)/12.
	if sd, ok := l.SD(); !ok || sd.Round(10*time.Nanosecond) != 288820*time.Nanosecond {
		t.Errorf("standard deviation %v, %t", sd, ok)
	}
	for _, tt := range []struct {
		q    float64
		want time.Duration // 0: refused
	}{
		{0, 0}, {0.0005, time.Microsecond}, {0.5, 500 * time.Microsecond}, {0.95, 950 * time.Microsecond},
		{0.99, 990 * time.Microsecond}, {0.999, 0}, {1, 0}, {1.5, 0},
	} {
		if got, ok := l.Percentile(tt.q); got != tt.want || ok != (tt.want > 0) {
			t.Errorf("percentile %v: %v, %t; want %v", tt.q, got, ok, tt.want)
		}
	}
	var none Latencies
	if _, ok := none.SD(); ok || none.Mean() != 0 {
		t.Error("nothing has a standard deviation, or a mean")
	}
	if _, ok := none.Percentile(0.5); ok {
		t.Error("nothing has a median")
	}
}

// A percentile is one of the latencies, and at least its share are not above.
func TestPercentileProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var measured []time.Duration
		for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 1e9), 1, 300).Draw(t, "latencies") {
			measured = append(measured, time.Duration(n))
		}
		q := rapid.Float64Range(0.001, 1).Draw(t, "share")
		l := SortedLatencies(measured)
		p, ok := l.Percentile(q)
		if !ok {
			return
		}
		not := 0
		for _, d := range l {
			if d <= p {
				not++
			}
		}
		if !slices.Contains(measured, p) || float64(not) < q*float64(len(l))-1e-9 {
			t.Fatalf("percentile %v is %v: %d of %d are not above", q, p, not, len(l))
		}
	})
}
