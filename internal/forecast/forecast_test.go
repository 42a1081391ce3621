package forecast_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/forecast"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var (
	throughput  = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	retransmits = result.Metric{Name: "retransmits", Unit: "segments/s", Better: result.Lower, Scale: result.Difference, Margin: 10}
)

// planOf compares so many variants in one cell.
func planOf(blocks int, variants ...string) plan.Plan {
	p := plan.Plan{
		Seed: 1, Cluster: plan.Cluster{Lab: &plan.Lab{}}, Cells: []plan.Cell{{ID: "tcp", Scenario: "tcp"}},
		Analysis: plan.Analysis{Base: variants[0], Primary: []string{"tcp/throughput"}},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	for i := range blocks {
		p.Blocks = append(p.Blocks, plan.Block{Index: i + 1, Order: variants, Cells: []string{"tcp"}})
	}
	return p
}

func of(m result.Metric) forecast.Metric {
	return forecast.Metric{Cell: "tcp", Scenario: "tcp", Metric: m}
}

func find(t *testing.T, p plan.Plan, n forecast.Noise, metrics ...forecast.Metric) []forecast.Finding {
	t.Helper()
	f, err := forecast.Find(p, metrics, n)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The planning figures of docs/methodology.md: one comparison, ten blocks, a
// paired noise of 2.8 % and a margin of 3 % find 6 % in 81 and 5 % in 48 of
// 100 campaigns, so that 80 of 100 take a little less than 6 %.
func TestFindAtThePlanningNoise(t *testing.T) {
	f := find(t, planOf(10, "host", "flannel"), forecast.Noise{Ratio: forecast.PlanningNoise}, of(throughput))
	if len(f) != 1 || len(f[0].Looks) != 1 || f[0].Measured {
		t.Fatalf("findings %+v", f)
	}
	l := f[0].Looks[0]
	if l.At80 < 0.055 || l.At80 > 0.062 || l.At95 <= l.At80 || l.At95 > 0.075 || l.Absent != "" {
		t.Errorf("80 of 100 find %v, 95 find %v (%s)", l.At80, l.At95, l.Absent)
	}
	if l.HalfWidth < 0.015 || l.HalfWidth > 0.025 || l.Equivalent <= 0 || l.Equivalent >= 1 {
		t.Errorf("half-width %v, equality in %v", l.HalfWidth, l.Equivalent)
	}
}

// More comparisons, fewer blocks and more noise each take larger effects.
func TestFindIsMonotone(t *testing.T) {
	at := func(p plan.Plan, noise float64) float64 {
		return find(t, p, forecast.Noise{Ratio: noise}, of(throughput))[0].Looks[0].At80
	}
	plain := at(planOf(10, "host", "a"), 0.028)
	for name, harder := range map[string]float64{
		"family": at(planOf(10, "host", "a", "b", "c"), 0.028),
		"blocks": at(planOf(7, "host", "a"), 0.028),
		"noise":  at(planOf(10, "host", "a"), 0.05),
	} {
		if harder <= plain {
			t.Errorf("%s: %v is not above %v", name, harder, plain)
		}
	}
}

// Every look has a line, and is decided at the stricter level.
func TestFindAtEveryLook(t *testing.T) {
	p := planOf(20, "host", "a")
	fixed := planOf(10, "host", "a")
	p.Stop = &plan.Stop{Looks: []int{10, 15, 20}, HalfWidth: 0.02}
	noise := forecast.Noise{Ratio: 0.028}
	looks := find(t, p, noise, of(throughput))[0].Looks
	if len(looks) != 3 || looks[0].At80 <= looks[1].At80 || looks[1].At80 <= looks[2].At80 {
		t.Errorf("looks %+v", looks)
	}
	if one := find(t, fixed, noise, of(throughput))[0].Looks[0]; looks[0].At80 <= one.At80 {
		t.Errorf("the first of three looks finds %v, ten blocks alone %v", looks[0].At80, one.At80)
	}
}

// Metrics that have all in common share a line; what nobody knows the noise of
// has none.
func TestFindGroups(t *testing.T) {
	other := of(throughput)
	other.Cell = "other"
	strict := of(throughput)
	strict.Margin = 0.01
	f := find(t, planOf(10, "host", "a"), forecast.Noise{Ratio: 0.028}, of(throughput), of(retransmits), other, strict)
	var got []string
	for _, x := range f {
		got = append(got, fmt.Sprintf("%d %s %d", len(x.Metrics), x.Metrics[0].Name(), len(x.Looks)))
	}
	want := []string{"2 tcp/throughput 1", "1 tcp/retransmits 0", "1 tcp/throughput 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindOfTooFewBlocks(t *testing.T) {
	l := find(t, planOf(5, "host", "a"), forecast.Noise{Ratio: 0.028}, of(throughput))[0].Looks[0]
	if l.Absent == "" || !math.IsNaN(l.At80) || !math.IsNaN(l.At95) {
		t.Errorf("five blocks find %+v", l)
	}
}

// Without any noise everything beyond the margin is found.
func TestFindWithoutNoise(t *testing.T) {
	a := twins(t, 0)
	n, err := forecast.Measured(a)
	if err != nil {
		t.Fatal(err)
	}
	l := find(t, planOf(10, "host", "a"), n, of(throughput))[0].Looks[0]
	if math.Abs(l.At80-0.03) > 1e-6 || l.Equivalent != 1 {
		t.Errorf("%+v", l)
	}
}

// twins analyses a campaign of six blocks with a twin whose differences are
// alternately so much above and below.
func twins(t *testing.T, away float64) analysis.Analysis {
	t.Helper()
	p := planOf(6, "host", "flannel", "flannel-aa")
	p.Variants[2].Entry = "flannel"
	p.Analysis.AA = &plan.Twin{Variant: "flannel", Name: "flannel-aa"}
	a, err := analysis.Analyze(p, trialsOf(p, away), result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func trialsOf(p plan.Plan, away float64) []result.Trial {
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	var trials []result.Trial
	for _, planned := range p.Trials() {
		value := 1e9
		if p.IsTwin(planned.Variant.Name) {
			value *= math.Exp(away * float64(1-2*(planned.Block%2)))
		}
		end := start.Add(12 * time.Second)
		trials = append(trials, result.Trial{
			Schema: result.SchemaVersion, Block: planned.Block, Position: planned.Position, Variant: planned.Variant.Name, Cell: "tcp", Scenario: "tcp",
			Attempt: 1, Status: result.OK, Start: start, End: end, Values: []result.Value{{Metric: throughput, Value: value}},
		})
		start = end.Add(5 * time.Second)
	}
	return trials
}

// Differences of ±2 % in six blocks have a standard deviation of √(6/5)·2 %.
func TestMeasuredNoise(t *testing.T) {
	n, err := forecast.Measured(twins(t, 0.02))
	if err != nil {
		t.Fatal(err)
	}
	want := 0.02 * math.Sqrt(6.0/5)
	elsewhere := of(throughput)
	elsewhere.Cell = "tcp.streams=4"
	for _, m := range []forecast.Metric{of(throughput), elsewhere} {
		if sd, measured := n.Of(m); !measured || math.Abs(sd-want) > 1e-12 {
			t.Errorf("%s: %v, measured %t, want %v", m.Name(), sd, measured, want)
		}
	}
	foreign := of(throughput)
	foreign.Cell, foreign.Scenario = "udp", "udp"
	if sd, measured := n.Of(foreign); measured || !math.IsNaN(sd) {
		t.Errorf("of another scenario: %v, measured %t", sd, measured)
	}
}

// Two names of the same variant are twins, too; different variants are not.
func TestMeasuredNoiseOfSameVariants(t *testing.T) {
	p := planOf(6, "host", "flannel", "again")
	p.Variants[2].Entry = "flannel"
	a, err := analysis.Analyze(p, trialsOf(p, 0), result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := forecast.Measured(a); err != nil {
		t.Error(err)
	} else if _, measured := n.Of(of(throughput)); !measured {
		t.Error("no noise")
	}
	p.Variants[2].Values = map[string]any{"a": 1}
	if a, err = analysis.Analyze(p, trialsOf(p, 0), result.Environment{}); err != nil {
		t.Fatal(err)
	}
	if _, err := forecast.Measured(a); !errors.Is(err, forecast.ErrNoTwins) {
		t.Errorf("of variants that differ: %v", err)
	}
}

func load(plan.Cell) time.Duration { return 10 * time.Second }

// Three variants in four blocks: 12 trials of 10 s, 12 clusters or 3.
func TestDurations(t *testing.T) {
	costs := forecast.Costs{
		Trial: forecast.Cost{Low: time.Second, High: 2 * time.Second}, Turn: forecast.Cost{Low: time.Second, High: time.Second},
		Cluster: forecast.Cost{Low: 20 * time.Second, High: 30 * time.Second},
	}
	p := planOf(4, "host", "a", "b")
	for _, tt := range []struct {
		name        string
		change      func(*plan.Plan)
		clusters    int
		lowS, highS int
	}{
		{"one installation", func(*plan.Plan) {}, 3, 120 + 12 + 9 + 60, 120 + 24 + 9 + 90},
		{"fresh clusters", func(p *plan.Plan) { p.FreshCluster = true }, 12, 120 + 12 + 240, 120 + 24 + 360},
		{"an existing cluster", func(p *plan.Plan) { p.Cluster = plan.Cluster{Existing: &plan.Existing{}} }, 0, 120 + 12 + 12, 120 + 24 + 12},
		{"a cluster by commands", func(p *plan.Plan) { p.Cluster = plan.Cluster{Command: &plan.Command{}} }, 1, 120 + 12 + 11 + 20, 120 + 24 + 11 + 30},
	} {
		p := p
		tt.change(&p)
		want := []forecast.Duration{{
			Blocks: 4, Load: 2 * time.Minute, Clusters: tt.clusters,
			Total: forecast.Cost{Low: time.Duration(tt.lowS) * time.Second, High: time.Duration(tt.highS) * time.Second},
		}}
		if diff := cmp.Diff(want, forecast.Durations(p, costs, load)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A journal of trials of 12 s, 10 of them load, with 5 s between variants.
func TestMeasuredCosts(t *testing.T) {
	p := planOf(6, "host", "flannel", "flannel-aa")
	got := forecast.MeasuredCosts(p, p, trialsOf(p, 0), load)
	five := forecast.Cost{Low: 5 * time.Second, High: 5 * time.Second}
	want := forecast.Costs{Trial: forecast.Cost{Low: 2 * time.Second, High: 2 * time.Second}, Turn: five, Cluster: five, Measured: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	fresh := p
	fresh.FreshCluster = true
	if got := forecast.MeasuredCosts(fresh, fresh, trialsOf(p, 0), load); got.Cluster != five || !got.Measured {
		t.Errorf("of fresh clusters: %+v", got)
	}
	other := p
	other.Cluster = plan.Cluster{Existing: &plan.Existing{}}
	if got := forecast.MeasuredCosts(other, p, trialsOf(p, 0), load); got.Measured || got != forecast.AssumedCosts(other) {
		t.Errorf("of a cluster of another kind: %+v", got)
	}
	if got := forecast.MeasuredCosts(p, p, nil, load); got.Measured || got != forecast.AssumedCosts(p) {
		t.Errorf("of an empty journal: %+v", got)
	}
}
