package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The depression scale of Hollander and Wolfe, example 3.1: nine patients
// before and after; the book gives θ̂ = −0.46 with (−0.786, −0.010) at 96.1 %
// and a one-sided p of 0.0195.
func TestShiftOfPublishedExample(t *testing.T) {
	before := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	after := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(before))
	for i := range d {
		d[i] = math.Round(1000*(after[i]-before[i])) / 1000
	}
	got, err := PairedShift(d, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	want := Interval{Low: -0.786, High: -0.010, Confidence: 0.95, Coverage: 1 - 20.0/512}
	if diff := cmp.Diff(want, got.Interval, near); diff != "" {
		t.Errorf("interval (-book +got):\n%s", diff)
	}
	if !cmp.Equal(-0.46, got.Estimate, near) {
		t.Errorf("estimate %v, want -0.46", got.Estimate)
	}
	if p, err := PAtLeast(d, 0); err != nil || p != 10.0/512 {
		t.Errorf("p = %v, %v, want 0.0195", p, err)
	}
}

// Minus zero would be printed as "-0".
func TestNoDifferenceIsPlainZero(t *testing.T) {
	got, err := PairedShift(make([]float64, 6), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{got.Estimate, got.Interval.Low, got.Interval.High} {
		if x != 0 || math.Signbit(x) {
			t.Errorf("shift of equal variants %+v has %v, want 0", got, x)
		}
	}
}

func TestSmallSamplesHaveNoInterval(t *testing.T) {
	tests := []struct {
		n          int
		confidence float64
		median     string
		shift      string
	}{
		{1, 0.95, "need at least 6 samples for a 95 % interval of the median", "need at least 6 pairs for a 95 % interval of the shift"},
		{5, 0.95, "need at least 6 samples for a 95 % interval of the median", "need at least 6 pairs for a 95 % interval of the shift"},
		{6, 0.95, "", ""},
		{7, 0.99, "need at least 8 samples for a 99 % interval of the median", "need at least 8 pairs for a 99 % interval of the shift"},
		{8, 0.99, "", ""},
		{8, 0.999, "need at least 11 samples for a 99.9 % interval of the median", "need at least 11 pairs for a 99.9 % interval of the shift"},
	}
	for _, test := range tests {
		xs := []float64{1, 3, 2, 7, 5, 4, 6, 9}[:test.n]
		summary, err := Summarize(xs, test.confidence)
		if err != nil {
			t.Fatal(err)
		}
		shift, err := PairedShift(xs, test.confidence)
		if err != nil {
			t.Fatal(err)
		}
		if summary.MedianInterval.Absent != test.median || shift.Interval.Absent != test.shift {
			t.Errorf("n = %d at %v: absent %q and %q, want %q and %q", test.n, test.confidence,
				summary.MedianInterval.Absent, shift.Interval.Absent, test.median, test.shift)
		}
		for _, iv := range []Interval{summary.MedianInterval, shift.Interval} {
			if finite := !math.IsInf(iv.Low, -1) && !math.IsInf(iv.High, 1); finite != (iv.Absent == "") {
				t.Errorf("n = %d at %v: ends %v to %v do not fit %q", test.n, test.confidence, iv.Low, iv.High, iv.Absent)
			}
		}
	}
}

// The coverage of the widest interval is 1 − 2·2⁻ⁿ: the last column of the
// table in section 2.2 of the statistics notes.
func TestCoverageOfMinToMax(t *testing.T) {
	for n, want := range map[int]float64{4: 0.875, 5: 0.9375, 6: 0.96875, 8: 0.9921875, 10: 0.998046875} {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = math.Sqrt(float64(i))
		}
		got, err := Summarize(xs, want)
		if err != nil {
			t.Fatal(err)
		}
		iv := Interval{Low: xs[0], High: xs[n-1], Confidence: want, Coverage: want}
		if diff := cmp.Diff(iv, got.MedianInterval); diff != "" {
			t.Errorf("n = %d (-want +got):\n%s", n, diff)
		}
	}
}

// The binomial tail must neither overflow nor vanish for large samples, where
// the interval's ranks are n/2 ± 0.98·√n.
func TestMedianRankOfLargeSamples(t *testing.T) {
	for _, n := range []int{1000, 2000, 20000} {
		k, tail := medianRank(n, 0.025)
		if want := float64(n)/2 - 0.98*math.Sqrt(float64(n)); math.Abs(float64(k)-want) > 1.5 {
			t.Errorf("n = %d: rank %d, want about %.1f", n, k, want)
		}
		if tail > 0.025 || tail < 0.02 {
			t.Errorf("n = %d: tail %v, want just under 0.025", n, tail)
		}
	}
}

func TestMinBlocks(t *testing.T) {
	// The families of the methodology: one comparison, nine against a base,
	// all pairs of ten, about 150.
	for family, want := range map[int]int{1: 6, 9: 9, 45: 11, 150: 13} {
		if got, err := MinBlocks(VerdictAlpha, family); err != nil || got != want {
			t.Errorf("MinBlocks(%v, %d) = %d, %v, want %d", VerdictAlpha, family, got, err, want)
		}
	}
	if got, err := MinBlocks(1.0/64, 1); err != nil || got != 6 {
		t.Errorf("MinBlocks at a level that is just attained = %d, %v, want 6", got, err)
	}
}

func TestBadInput(t *testing.T) {
	ok, nan, inf := []float64{1, 2, 3}, []float64{1, math.NaN()}, []float64{math.Inf(-1), 1}
	tests := map[string]func() error{
		"empty summary":            func() error { _, err := Summarize(nil, 0.95); return err },
		"NaN in summary":           func() error { _, err := Summarize(nan, 0.95); return err },
		"confidence in per cent":   func() error { _, err := Summarize(ok, 95); return err },
		"NaN confidence":           func() error { _, err := PairedShift(ok, math.NaN()); return err },
		"logarithm of zero":        func() error { _, err := PairedShift(inf, 0.95); return err },
		"empty Hodges-Lehmann":     func() error { _, err := HodgesLehmann(nil); return err },
		"NaN in test":              func() error { _, err := PAtMost(nan, 0); return err },
		"NaN shift":                func() error { _, err := PAtLeast(ok, math.NaN()); return err },
		"negative margin":          func() error { _, err := ClaimsOf(ok, -0.1); return err },
		"NaN margin":               func() error { _, err := ClaimsOf(ok, math.NaN()); return err },
		"empty claims":             func() error { _, err := ClaimsOf(nil, 0.1); return err },
		"p above 1":                func() error { _, err := Holm([]float64{0.1, 1.5}); return err },
		"NaN p":                    func() error { _, err := Holm([]float64{math.NaN()}); return err },
		"NaN claim":                func() error { _, err := Decide([]Claims{{Better: 0.1, Worse: math.NaN()}}, 0.025); return err },
		"NaN claim of equivalence": func() error { _, err := Decide([]Claims{{Equivalent: math.NaN()}}, 0.025); return err },
		"level of zero":            func() error { _, err := Decide(nil, 0); return err },
		"family of none":           func() error { _, err := MinBlocks(0.025, 0); return err },
		"level of one":             func() error { _, err := MinBlocks(1, 1); return err },
		"forecast of nothing":      func() error { _, err := FurtherBlocks(nil, 0.1, 0.025); return err },
		"forecast without margin":  func() error { _, err := FurtherBlocks(ok, math.Inf(1), 0.025); return err },
		"forecast without level":   func() error { _, err := FurtherBlocks(ok, 0.1, math.NaN()); return err },
		"empty outliers":           func() error { _, err := ModifiedZ(nil); return err },
		"empty spread":             func() error { _, err := RobustSpread(nil); return err },
		"unequal lengths":          func() error { _, err := Kendall(ok, nan); return err },
		"empty side":               func() error { _, err := ShiftBetween(ok, nil, 0.95); return err },
		"NaN in a side":            func() error { _, err := ShiftBetween(nan, ok, 0.95); return err },
		"sides in per cent":        func() error { _, err := ShiftBetween(ok, ok, 95); return err },
		"claims of a side":         func() error { _, err := ClaimsBetween(ok, inf, 0.1); return err },
		"claims without margin":    func() error { _, err := ClaimsBetween(ok, ok, math.NaN()); return err },
		"shift of sides":           func() error { _, err := PBetweenAtMost(ok, ok, math.Inf(1)); return err },
		"sides at least":           func() error { _, err := PBetweenAtLeast(nan, ok, 0); return err },
		"empty rank sum":           func() error { _, err := MannWhitney(nil, ok); return err },
		"empty Welch":              func() error { _, err := WelchT(ok, nil, 0.95); return err },
		"Welch in per cent":        func() error { _, err := WelchT(ok, ok, 95); return err },
		"empty gate":               func() error { _, err := GateOf(nil, 0.1); return err },
		"gate without margin":      func() error { _, err := GateOf(ok, -1); return err },
		"gate of nothing":          func() error { _, err := GateBetween(ok, nil, 0.1); return err },
		"sides without margin":     func() error { _, err := GateBetween(ok, ok, -1); return err },
		"empty Wilcoxon":           func() error { _, err := Wilcoxon(nil, DropZeros); return err },
		"NaN in Wilcoxon":          func() error { _, err := Wilcoxon(nan, PrattZeros); return err },
		"zeros of a third kind":    func() error { _, err := Wilcoxon(ok, 7); return err },
		"empty sign flips":         func() error { _, err := SignFlips(nil, 1); return err },
		"two-sided of nothing":     func() error { _, err := PTwoSided(nil, 0); return err },
		"bootstrap of nothing":     func() error { _, err := BCa(0, nil, 0.95, 1000, 1); return err },
		"bootstrap in per cent":    func() error { _, err := BCa(9, nil, 95, 1000, 1); return err },
		"ten resamples":            func() error { _, err := BCa(9, nil, 0.95, 10, 1); return err },
		"endless resamples":        func() error { _, err := BCa(1<<20, nil, 0.95, 1<<20, 1); return err },
		"quantile in per cent":     func() error { _, err := Quantile(ok, 99, 0.95); return err },
		"NaN quantile":             func() error { _, err := Quantile(ok, math.NaN(), 0.95); return err },
		"quantile of nothing":      func() error { _, err := Quantile(nil, 0.5, 0.95); return err },
		"quantile confidence":      func() error { _, err := Quantile(ok, 0.5, 0); return err },
		"gate forecast":            func() error { _, err := FurtherBlocksToGate(nil, 0.1, 0.025); return err },
		"sides forecast":           func() error { _, err := FurtherBetween(ok, nil, 0.1, 0.025); return err },
		"sides forecast margin":    func() error { _, err := FurtherBetweenToGate(ok, ok, -1, 0.025); return err },
		"NaN in trend":             func() error { _, err := Kendall(nan, nan); return err },
	}
	for name, call := range tests {
		if err := call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
