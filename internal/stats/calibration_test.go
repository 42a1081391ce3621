package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoldenTwoSidedGrid(t *testing.T) {
	for _, want := range readGolden(t).Attainable {
		got, err := TwoSidedGrid(want.N)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Ps, got, near); diff != "" {
			t.Errorf("%d pairs (-golden +got):\n%s", want.N, diff)
		}
	}
	for _, n := range []int{-1, 0, 201} {
		if _, err := TwoSidedGrid(n); err == nil {
			t.Errorf("%d pairs: no error", n)
		}
	}
}

func TestGoldenUniformity(t *testing.T) {
	for _, want := range readGolden(t).Uniformity {
		grid, err := TwoSidedGrid(want.N)
		if err != nil {
			t.Fatal(err)
		}
		got, err := UniformityOf(want.Ps, grid)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Uniformity{N: len(want.Ps), Distance: want.Distance, P: want.P}, got, near); diff != "" {
			t.Errorf("%v (-golden +got):\n%s", want.Ps, diff)
		}
	}
}

func TestGoldenNoise(t *testing.T) {
	golden := readGolden(t)
	for _, want := range golden.Noise {
		got, err := NoiseOf(want.Values, want.Confidence)
		if err != nil {
			t.Fatal(err)
		}
		wanted := [3]float64{want.SD, want.Low, want.High}
		if diff := cmp.Diff(wanted, [3]float64{got.SD, got.Interval.Low, got.Interval.High}, near); diff != "" {
			t.Errorf("%v at %v (-golden +got):\n%s", want.Values, want.Confidence, diff)
		}
	}
	for _, want := range golden.Tails.ChiSquared {
		if got := chiSquaredShare(want.X, want.DF); !cmp.Equal(want.Share, got, near) {
			t.Errorf("chi-squared share of %v, %v degrees of freedom: %v, want %v", want.X, want.DF, got, want.Share)
		}
	}
	for _, want := range golden.Shares {
		got, err := ShareOf(want.K, want.N, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(want.Low, got.Interval.Low, near) || !cmp.Equal(want.High, got.Interval.High, near) {
			t.Errorf("%d of %d: %+v, want %v to %v", want.K, want.N, got, want.Low, want.High)
		}
	}
}

func TestNoiseOfLittle(t *testing.T) {
	for want, d := range map[string][]float64{
		"need at least 2 differences for their spread": {3},
		"all differences are equal":                    {3, 3, 3, 3},
	} {
		got, err := NoiseOf(d, 0.95)
		if err != nil || got.Interval.Absent != want || !math.IsInf(got.Interval.High, 1) {
			t.Errorf("%v: %+v, %v, want absent %q", d, got, err, want)
		}
	}
}

// P-values of A/A comparisons pass; those of a test that is a tenth too eager,
// and of one that never finds anything, do not.
func TestUniformityTellsGoodFromBad(t *testing.T) {
	grid, err := TwoSidedGrid(6)
	if err != nil {
		t.Fatal(err)
	}
	var fair, eager, blind []float64
	r := seeded()
	for range 200 {
		d := laws(0)[0].sample(r, 6)
		p, err := PTwoSided(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		fair, blind = append(fair, p), append(blind, 1)
		if p, err = PTwoSided(moved(d, 1, 0.5), 0); err != nil {
			t.Fatal(err)
		}
		eager = append(eager, p)
	}
	for name, test := range map[string]struct {
		ps   []float64
		good bool
	}{"fair": {fair, true}, "eager": {eager, false}, "blind": {blind, false}} {
		got, err := UniformityOf(test.ps, grid)
		if err != nil || got.OffGrid != 0 || (got.P > 0.01) != test.good {
			t.Errorf("%s: %+v, %v, want good: %v", name, got, err, test.good)
		}
	}
}

// The test of uniformity is itself exact: a share of its p-values is at most
// that share.
func TestUniformityKeepsItsLevel(t *testing.T) {
	grid, err := TwoSidedGrid(5)
	if err != nil {
		t.Fatal(err)
	}
	r := seeded()
	const repetitions = 1000
	alarms := 0
	for range repetitions {
		ps := make([]float64, 40)
		for i := range ps {
			u := r.Float64()
			for _, point := range grid {
				if u <= point {
					ps[i] = point
					break
				}
			}
		}
		got, err := UniformityOf(ps, grid)
		if err != nil {
			t.Fatal(err)
		}
		if got.P <= 0.1 {
			alarms++
		}
	}
	// 0.1 plus four standard errors; above nil, or nothing was tested.
	if share := float64(alarms) / repetitions; share == 0 || share > 0.138 {
		t.Errorf("p ≤ 0.1 in %v of fair samples", share)
	}
}

func TestUniformityOfTies(t *testing.T) {
	got, err := UniformityOf([]float64{0.3, 0.5, 1, 1}, []float64{0.25, 0.5, 1})
	if err != nil || got.OffGrid != 1 || got.Distance != 0.25 {
		t.Errorf("%+v, %v, want one off the grid", got, err)
	}
}

func TestBadCalibration(t *testing.T) {
	grid := []float64{0.5, 1}
	for name, call := range map[string]func() error{
		"no p-values":       func() error { _, err := UniformityOf(nil, grid); return err },
		"NaN p-value":       func() error { _, err := UniformityOf([]float64{math.NaN()}, grid); return err },
		"p above 1":         func() error { _, err := UniformityOf([]float64{2}, grid); return err },
		"no grid":           func() error { _, err := UniformityOf(grid, nil); return err },
		"grid without end":  func() error { _, err := UniformityOf(grid, []float64{0.5}); return err },
		"grid that falls":   func() error { _, err := UniformityOf(grid, []float64{0.7, 0.5, 1}); return err },
		"NaN grid":          func() error { _, err := UniformityOf(grid, []float64{math.NaN(), 1}); return err },
		"share of nothing":  func() error { _, err := ShareOf(0, 0, 0.95); return err },
		"more than all":     func() error { _, err := ShareOf(3, 2, 0.95); return err },
		"share in per cent": func() error { _, err := ShareOf(1, 2, 95); return err },
		"no noise":          func() error { _, err := NoiseOf(nil, 0.95); return err },
		"noise in per cent": func() error { _, err := NoiseOf(grid, 95); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	many := make([]float64, 20_000)
	if got, err := UniformityOf(many, grid); err != nil || got.Absent == "" || !math.IsNaN(got.P) {
		t.Errorf("20,000 p-values: %+v, %v, want absent", got, err)
	}
}

func TestTwins(t *testing.T) {
	r := seeded()
	var fair, drifting [][]float64
	for range 200 {
		d := moved(laws(0)[0].sample(r, 6), 0.01, 0)
		fair, drifting = append(fair, d), append(drifting, moved(d, 1, 0.05))
	}
	got, err := TwinsOf(fair, 0.05, 0.03)
	if err != nil {
		t.Fatal(err)
	}
	// 3.1 of 100 are expected with six blocks, 15 of 200 are the most that is
	// acceptable.
	if got.Expected != 2.0/64 || got.Alarms.Count > 15 || got.Uniformity.P < 0.01 || got.Claimed != 0 ||
		got.Noise.Interval.Low > 0.01 || got.Noise.Interval.High < 0.01 {
		t.Errorf("fair twins: %+v", got)
	}
	got, err = TwinsOf(drifting, 0.05, 0.03)
	if err != nil || got.Alarms.Count < 150 || got.Uniformity.P > 1e-9 || got.Claimed < 20 {
		t.Errorf("twins that differ: %+v, %v", got, err)
	}
	got, err = TwinsOf([][]float64{{1, 2, 3}, {1, 2}}, 0.05, 0.03)
	if err != nil || got.Uniformity.Absent == "" || !math.IsNaN(got.Expected) || !math.IsNaN(got.Uniformity.P) {
		t.Errorf("twins of different sizes: %+v, %v", got, err)
	}
	for name, call := range map[string]func() error{
		"none":        func() error { _, err := TwinsOf(nil, 0.05, 0.03); return err },
		"an empty":    func() error { _, err := TwinsOf([][]float64{{}}, 0.05, 0.03); return err },
		"NaN":         func() error { _, err := TwinsOf([][]float64{{math.NaN()}}, 0.05, 0.03); return err },
		"level of 5":  func() error { _, err := TwinsOf(fair, 5, 0.03); return err },
		"margin of −": func() error { _, err := TwinsOf(fair, 0.05, -1); return err },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
