package stats

import (
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The golden values are made by testdata/golden.py with SciPy and brute force.
//
//go:embed testdata/golden.json
var goldenJSON []byte

type golden struct {
	SciPy   string `json:"scipy"`
	Samples []struct {
		Name    string
		Values  []float64
		Summary struct {
			N                      int
			Mean, Min, Max, Median float64
			SD                     *float64
			Intervals              []goldenInterval
		}
		Shift struct {
			Estimate  float64
			Spread    *float64
			Intervals []goldenInterval
		}
		SciPyP    []goldenP `json:"scipyP"`
		LimitP    []goldenP `json:"limitP"`
		ModifiedZ []float64 `json:"modifiedZ"`
		Forecasts []struct {
			Margin, Alpha float64
			Blocks        int
		}
	}
	Holm    []struct{ P, Adjusted []float64 }
	Kendall []struct {
		X, Y   []float64
		Tau, P float64
	}
	Power []struct{ Effect, Margin, Power float64 }

	Attainable []struct {
		N  int
		Ps []float64
	}
	Unpaired []struct {
		Name      string
		A, B      []float64
		Estimate  float64
		Intervals []goldenInterval
		LimitP    []goldenP
	}
	MannWhitney []struct {
		A, B                       []float64
		U, Greater, Less, TwoSided float64
		Exact                      bool
	}
	Welch []struct {
		A, B                                                  []float64
		Difference, T, DF, Greater, Less, TwoSided, Low, High float64
	}
	Wilcoxon []struct {
		Values                       []float64
		Zeros                        string
		N                            int
		Exact                        bool
		Sum, Greater, Less, TwoSided float64
	}
	SignFlip []struct {
		Values                  []float64
		Greater, Less, TwoSided float64
	}
	BCa []struct {
		Values, Replicates, Left        []float64
		Statistic                       string
		Confidence, Estimate, Low, High float64
	}
	Quantiles []struct {
		Values                                []float64
		Q, Confidence, Estimate, HarrellDavis float64
		Low, High                             *float64
	}
	Tails struct {
		Student         []struct{ T, DF, Tail float64 }
		StudentQuantile []struct{ T, DF, Tail float64 }
		Beta            []struct{ X, A, B, Share float64 }
		ChiSquared      []struct{ X, DF, Share float64 }
	}
	Noise []struct {
		Values                    []float64
		Confidence, SD, Low, High float64
	}
	Shares []struct {
		K, N      int
		Low, High float64
	}
	Uniformity []struct {
		N           int
		Ps          []float64
		Distance, P float64
	}
	UnpairedPower []struct {
		Effect, Margin, SD, Power float64
		A, B                      int
	}

	LognormalPseudomedian struct{ Sigma, Value float64 } `json:"lognormalPseudomedian"`
}

// goldenInterval has no ends where the sample is too small.
type goldenInterval struct {
	Confidence float64
	Low, High  *float64
	Coverage   float64
}

type goldenP struct {
	M       float64
	AtMost  float64 `json:"atMost"`
	AtLeast float64 `json:"atLeast"`
}

func readGolden(t testing.TB) golden {
	t.Helper()
	var g golden
	if err := json.Unmarshal(goldenJSON, &g); err != nil {
		t.Fatalf("reading testdata/golden.json: %v", err)
	}
	if g.SciPy == "" || len(g.Samples) == 0 {
		t.Fatal("testdata/golden.json holds no samples; run testdata/golden.py")
	}
	return g
}

// near compares floats up to rounding; both numbers may be missing.
var near = cmp.Comparer(func(a, b float64) bool {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.IsNaN(a) && math.IsNaN(b)
	}
	return a == b || math.Abs(a-b) <= 1e-10*max(math.Abs(a), math.Abs(b))+1e-15
})

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func checkInterval(t *testing.T, want goldenInterval, got Interval) {
	t.Helper()
	if absent := want.Low == nil || want.High == nil; absent != (got.Absent != "") {
		t.Fatalf("confidence %v: absent is %q, want it empty: %v", want.Confidence, got.Absent, !absent)
	} else if absent {
		return
	}
	wanted := Interval{Low: *want.Low, High: *want.High, Confidence: want.Confidence, Coverage: want.Coverage}
	if diff := cmp.Diff(wanted, got, near); diff != "" {
		t.Errorf("interval (-golden +got):\n%s", diff)
	}
}

func TestGoldenSummary(t *testing.T) {
	for _, sample := range readGolden(t).Samples {
		t.Run(sample.Name, func(t *testing.T) {
			for _, interval := range sample.Summary.Intervals {
				got, err := Summarize(sample.Values, interval.Confidence)
				if err != nil {
					t.Fatal(err)
				}
				checkInterval(t, interval, got.MedianInterval)
				got.MedianInterval = Interval{}
				w := sample.Summary
				want := Summary{N: w.N, Mean: w.Mean, SD: orNaN(w.SD), Min: w.Min, Max: w.Max, Median: w.Median}
				if diff := cmp.Diff(want, got, near); diff != "" {
					t.Errorf("summary (-golden +got):\n%s", diff)
				}
			}
		})
	}
}

func TestGoldenShift(t *testing.T) {
	for _, sample := range readGolden(t).Samples {
		t.Run(sample.Name, func(t *testing.T) {
			for _, interval := range sample.Shift.Intervals {
				got, err := PairedShift(sample.Values, interval.Confidence)
				if err != nil {
					t.Fatal(err)
				}
				checkInterval(t, interval, got.Interval)
				if !cmp.Equal(sample.Shift.Estimate, got.Estimate, near) {
					t.Errorf("estimate %v, want %v", got.Estimate, sample.Shift.Estimate)
				}
				if !cmp.Equal(orNaN(sample.Shift.Spread), got.Spread, near) {
					t.Errorf("spread %v, want %v", got.Spread, orNaN(sample.Shift.Spread))
				}
			}
		})
	}
}

func TestGoldenOneSidedP(t *testing.T) {
	for _, sample := range readGolden(t).Samples {
		t.Run(sample.Name, func(t *testing.T) {
			for _, want := range slices.Concat(sample.SciPyP, sample.LimitP) {
				got := goldenP{M: want.M}
				var err error
				if got.AtMost, err = PAtMost(sample.Values, want.M); err != nil {
					t.Fatal(err)
				}
				if got.AtLeast, err = PAtLeast(sample.Values, want.M); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, near); diff != "" {
					t.Errorf("p-values (-golden +got):\n%s", diff)
				}
			}
		})
	}
}

func TestGoldenModifiedZ(t *testing.T) {
	for _, sample := range readGolden(t).Samples {
		got, err := ModifiedZ(sample.Values)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sample.ModifiedZ, got, near); diff != "" {
			t.Errorf("%s: modified z (-golden +got):\n%s", sample.Name, diff)
		}
	}
}

func TestGoldenForecast(t *testing.T) {
	for _, sample := range readGolden(t).Samples {
		for _, want := range sample.Forecasts {
			got, err := FurtherBlocks(sample.Values, want.Margin, want.Alpha)
			if err != nil {
				t.Fatal(err)
			}
			if got.Blocks != want.Blocks || (got.Unknown == "") != (want.Blocks > 0) {
				t.Errorf("%s: forecast %+v, want %+v", sample.Name, got, want)
			}
		}
	}
}

func TestGoldenHolm(t *testing.T) {
	for _, family := range readGolden(t).Holm {
		got, err := Holm(family.P)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(family.Adjusted, got, near); diff != "" {
			t.Errorf("Holm(%v) (-golden +got):\n%s", family.P, diff)
		}
	}
}

func TestGoldenKendall(t *testing.T) {
	for _, want := range readGolden(t).Kendall {
		got, err := Kendall(want.X, want.Y)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Trend{N: len(want.X), Tau: want.Tau, P: want.P}, got, near); diff != "" {
			t.Errorf("Kendall(%v, %v) (-golden +got):\n%s", want.X, want.Y, diff)
		}
	}
}
