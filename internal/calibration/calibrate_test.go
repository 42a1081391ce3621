package calibration

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The golden files are what programs read; package report has the same in
// words.
func TestGolden(t *testing.T) {
	asked := Options{Effect: 0.05, Budget: 20 * time.Minute, Variants: []int{2, 4, 20}}
	for name, c := range map[string]Calibration{
		"one-installation": calibrate(t, aaPlan(20, false), journal(aaPlan(20, false), 1, normal(0.015)), asked),
		"new-clusters":     calibrate(t, aaPlan(120, true), journal(aaPlan(120, true), 2, normal(0.02)), asked),
		"one-block":        calibrate(t, aaPlan(1, false), journal(aaPlan(1, false), 3, normal(0.015)), asked),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			file := "testdata/" + name + ".json"
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// Noise, smallest effects and blocks needed are what package stats says of the
// paired differences.
func TestAgreesWithStats(t *testing.T) {
	p := aaPlan(20, false)
	trials := journal(p, 4, normal(0.02))
	m := metric(t, calibrate(t, p, trials, Options{Effect: 0.06}), "throughput")
	values := map[result.Key]float64{}
	for _, trial := range trials {
		if v, ok := trial.Value("throughput"); ok {
			values[trial.Key()] = v.Value
		}
	}
	d := make([]float64, 20)
	for i := range d {
		d[i] = math.Log(values[result.Key{Block: i + 1, Variant: "flannel-vxlan-twin", Cell: "tcp-pod-single"}] /
			values[result.Key{Block: i + 1, Variant: "flannel-vxlan", Cell: "tcp-pod-single"}])
	}
	noise, err := stats.NoiseOf(d, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if m.Pairs != 20 || math.Abs(m.Noise.SD-noise.SD) > 1e-12 || math.Abs(m.Noise.Interval.High-noise.Interval.High) > 1e-12 {
		t.Errorf("noise %+v, want %+v", m.Noise, noise)
	}
	both, err := stats.PTwoSided(d, 0)
	if err != nil || *m.P != both {
		t.Errorf("p = %v, want %v (%v)", *m.P, both, err)
	}
	for _, s := range m.Smallest {
		plan := stats.Design{Pairs: s.Blocks, Margin: math.Log1p(0.03), SD: noise.SD}
		want, err := plan.MinimalEffect(0.8, seed)
		if err != nil || math.Abs(s.At80-math.Expm1(want.Shift)) > 1e-6 {
			t.Errorf("%d blocks find %v, want %v (%v)", s.Blocks, s.At80, math.Expm1(want.Shift), err)
		}
	}
	plan := stats.Design{Pairs: 1, Margin: math.Log1p(0.03), SD: noise.SD}
	want, err := plan.BlocksFor(math.Log1p(0.06), 0.8, seed)
	if err != nil || m.Needed.At80 != want.Blocks || m.Needed.At95 <= m.Needed.At80 || m.Needed.Equivalent {
		t.Errorf("6 %% takes %+v, want %d blocks (%v)", m.Needed, want.Blocks, err)
	}
}

// What an effect takes, by where it lies.
func TestNeeded(t *testing.T) {
	p := aaPlan(20, false)
	trials := journal(p, 4, normal(0.02))
	for _, tt := range []struct {
		effect     float64
		equivalent bool
		absent     string
	}{
		{0.005, true, ""},
		{0.03, false, "an effect equal to the margin is inconclusive however many blocks there are"},
		{0.031, false, "not with 100 blocks at this noise"},
		{10, false, ""},
	} {
		n := metric(t, calibrate(t, p, trials, Options{Effect: tt.effect}), "throughput").Needed
		if n.Equivalent != tt.equivalent || n.Absent != tt.absent || (n.Absent == "") != (n.At80 > 0) {
			t.Errorf("%v: %+v", tt.effect, *n)
		}
	}
	least := metric(t, calibrate(t, p, trials, Options{Effect: 10}), "throughput").Needed
	if least.At80 != 6 || least.At95 != 6 {
		t.Errorf("a huge effect takes %+v, want the least, 6 blocks", least)
	}
	inBytes := metric(t, calibrate(t, p, trials, Options{Effect: 0.05}), "memory")
	if n, err := inBytes.needed(0.05, shared); err != nil || n.Absent == "" || inBytes.Needed != nil {
		t.Errorf("a percentage of a metric in bytes: %+v, %v; %+v", n, err, inBytes.Needed)
	}
}

// A rate of false alarms is said of many comparisons or of none.
func TestAlarms(t *testing.T) {
	for _, tt := range []struct {
		blocks, groups int
		rate           bool
	}{{5, 0, false}, {20, 3, false}, {119, 19, false}, {120, 20, true}} {
		p := aaPlan(tt.blocks, false)
		a := metric(t, calibrate(t, p, journal(p, 5, normal(0.02)), Options{}), "throughput").Alarms
		if a.Groups != tt.groups || a.GroupBlocks != 6 || (a.Rate != nil) != tt.rate || (a.Absent == "") != tt.rate || (a.Uniformity != nil) != tt.rate {
			t.Errorf("%d blocks: %+v", tt.blocks, *a)
		}
	}
}

// Twins that differ are called that, and a shift beyond the margin is a false
// verdict.
func TestTwinsThatDiffer(t *testing.T) {
	p := aaPlan(20, false)
	quicker := func(r *rand.Rand, p plan.Trial) float64 {
		x := normal(0.01)(r, p)
		if p.Variant.Name == "flannel-vxlan-twin" && p.Cell.ID == "tcp-pod-single" {
			x *= 1.2
		}
		return x
	}
	c := calibrate(t, p, journal(p, 6, quicker), Options{})
	if n := codes(c); n["twins-differ"] != 1 || n["false-verdict"] == 0 {
		t.Errorf("warnings %v", c.Warnings)
	}
	c = calibrate(t, p, journal(p, 6, normal(0.01)), Options{})
	if n := codes(c); n["twins-differ"] != 0 || n["false-verdict"] != 0 {
		t.Errorf("warnings of good twins: %v", c.Warnings)
	}
}

// Drift and what depends on the position are the analysis' warnings.
func TestInstability(t *testing.T) {
	p := aaPlan(20, false)
	rising := func(r *rand.Rand, p plan.Trial) float64 {
		return normal(0.001)(r, p) * (1 + 0.01*float64(p.Block) + 0.05*float64(p.Position))
	}
	c := calibrate(t, p, journal(p, 7, rising), Options{})
	if n := codes(c); n["drift"] == 0 || n["position-effect"] == 0 {
		t.Errorf("warnings %v", c.Warnings)
	}
	for _, w := range c.Warnings {
		if w.Hint == "" {
			t.Errorf("%s has no hint", w.Code)
		}
	}
}

func TestWildNoise(t *testing.T) {
	p := aaPlan(20, false)
	wild := func(r *rand.Rand, p plan.Trial) float64 {
		x := normal(0.002)(r, p)
		if p.Block == 9 && p.Position == 1 {
			x *= 0.5
		}
		return x
	}
	if c := calibrate(t, p, journal(p, 8, wild), Options{}); codes(c)["wild-noise"] != 1 {
		t.Errorf("warnings %v", c.Warnings)
	}
}

// Times are medians, and an interruption does not change them.
func TestCosts(t *testing.T) {
	p := aaPlan(20, false)
	trials := journal(p, 9, normal(0.02))
	for i := range trials {
		if trials[i].Block > 10 {
			trials[i].Start, trials[i].End = trials[i].Start.Add(time.Hour), trials[i].End.Add(time.Hour)
		}
	}
	want := Costs{
		Trials:  []TrialCost{{"tcp-pod-single", 40, 3, 2}, {"tcp-rr", 40, 3, 2}},
		Turn:    &Cost{38, 1},
		Cluster: &Cost{2, 20},
	}
	if diff := cmp.Diff(want, costsOf(p, trials, begin)); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
	p.FreshCluster = true
	want.Turn, want.Cluster = nil, &Cost{40, 20}
	if diff := cmp.Diff(want, costsOf(p, journal(p, 9, normal(0.02)), begin)); diff != "" {
		t.Errorf("costs with new clusters (-want +got):\n%s", diff)
	}
	p.FreshCluster, p.Cluster = false, plan.Cluster{Existing: &plan.Existing{}}
	want.Turn, want.Cluster = &Cost{39, 1}, nil
	if diff := cmp.Diff(want, costsOf(p, journal(p, 9, normal(0.02)), begin)); diff != "" {
		t.Errorf("costs on one cluster (-want +got):\n%s", diff)
	}
	if got := costsOf(p, nil, time.Time{}); got.Turn != nil || got.Cluster != nil || len(got.Trials) > 0 {
		t.Errorf("costs of nothing: %+v", got)
	}
}

// A schedule keeps to the budget, and never offers what can reach no verdict.
func TestSchedule(t *testing.T) {
	p := aaPlan(20, false)
	c := calibrate(t, p, journal(p, 10, normal(0.02)), Options{Budget: 10 * time.Minute, Variants: []int{2, 5, 40}})
	for _, o := range c.Schedule.Options {
		least, err := stats.MinBlocks(stats.VerdictAlpha, o.Family)
		if err != nil {
			t.Fatal(err)
		}
		if o.Family != 2*(o.Variants-1) || o.Seconds > 600 || (o.Blocks < least) != (o.Absent != "") || (len(o.Smallest) == 2) != (o.Absent == "") {
			t.Errorf("%+v, where %d blocks are the least", o, least)
		}
	}
	// 2 variants: clusters take 40 s, a block 2 · (3 + 3 + 1) = 14 s.
	if first := c.Schedule.Options[0]; first.Blocks != 40 || first.Seconds != 600 {
		t.Errorf("first option %+v, want 40 blocks in 600 s", first)
	}
	if last := c.Schedule.Options[len(c.Schedule.Options)-1]; last.Variants != 40 || last.Absent == "" {
		t.Errorf("40 variants in ten minutes: %+v", last)
	}
	long := calibrate(t, p, journal(p, 10, normal(0.02)), Options{Budget: 1000 * time.Hour, Variants: []int{2}})
	if n := len(long.Schedule.Options); n != 1 || long.Schedule.Options[0].Longer != 30 || long.Schedule.Options[0].Blocks != MostBlocks {
		t.Errorf("with all the time in the world: %+v", long.Schedule.Options)
	}
}

// The repetitions are those of Kalibera and Jones: with equal parts of the
// variance and a cluster that takes 20 s for trials of 6 s, √(20/6) = 1.8.
func TestRepeats(t *testing.T) {
	p := aaPlan(20, true)
	c := calibrate(t, p, journal(p, 11, normal(0.02)), Options{Budget: time.Hour})
	want := []Repeat{{0.1, 6}, {0.5, 2}, {0.9, 1}}
	if diff := cmp.Diff(want, c.Schedule.Repeats); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
}

// The twin of any campaign with aa: calibrates as well.
func TestTwinOfACampaign(t *testing.T) {
	p := aaPlan(12, false)
	want := metric(t, calibrate(t, p, journal(p, 12, normal(0.02)), Options{}), "throughput")
	p.Analysis.AA = &plan.Twin{Variant: "flannel-vxlan", Name: "flannel-vxlan-twin"}
	c := calibrate(t, p, journal(p, 12, normal(0.02)), Options{})
	got := metric(t, c, "throughput")
	if c.Twins != [2]string{"flannel-vxlan", "flannel-vxlan-twin"} || got.Pairs != 12 {
		t.Fatalf("twins %v, %d pairs", c.Twins, got.Pairs)
	}
	if diff := cmp.Diff(want.Noise, got.Noise); diff != "" {
		t.Errorf("noise (-two variants +aa):\n%s", diff)
	}
}

func TestNoTwins(t *testing.T) {
	p := aaPlan(6, false)
	p.Variants[1].Version = "v0.28.0"
	a, err := analysis.Analyze(p, nil, environment)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Of(a, nil, environment, Options{}); !errors.Is(err, ErrNoTwins) {
		t.Errorf("error %v", err)
	}
	for _, o := range []Options{{Effect: -1}, {Effect: math.NaN()}, {Effect: math.Inf(1)}, {Budget: -1}, {Variants: []int{1}}} {
		if _, err := Of(a, nil, environment, o); err == nil || errors.Is(err, ErrNoTwins) {
			t.Errorf("%+v: error %v", o, err)
		}
	}
}
