package calibration

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Everything in this file is made up: numbers drawn from a seeded generator, in
// the shape of an A/A campaign. Nobody measured them.

var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	latency    = result.Metric{Name: "latency-p99", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10}
	memory     = result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20}
	folded     = result.Metric{Name: "cpu-softirq", Unit: "cores", Better: result.Lower, Scale: result.Difference, Margin: 0.1, Group: "CPU by mode"}
)

var begin = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// aaPlan has flannel-vxlan under two names and two cells.
func aaPlan(blocks int, fresh bool) plan.Plan {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "calibrate-made-up", Hash: "sha256:0", Seed: 1, FreshCluster: fresh,
		Cluster: plan.Cluster{Lab: &plan.Lab{Nodes: 3, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}},
		Variants: []plan.Variant{
			{Name: "flannel-vxlan", Entry: "flannel-vxlan", Version: "v0.27.4", Values: map[string]any{"a": 1.0}},
			{Name: "flannel-vxlan-twin", Entry: "flannel-vxlan", Version: "v0.27.4", Values: map[string]any{"a": 1.0}},
		},
		Cells:    []plan.Cell{{ID: "tcp-pod-single", Scenario: "tcp-pod-single"}, {ID: "tcp-rr", Scenario: "tcp-rr"}},
		Analysis: plan.Analysis{Base: "flannel-vxlan", Primary: []string{"tcp-pod-single/throughput", "tcp-rr/latency-p99"}},
	}
	for b := range blocks {
		order := []string{"flannel-vxlan", "flannel-vxlan-twin"}
		if b%2 == 1 {
			order[0], order[1] = order[1], order[0]
		}
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: order, Cells: []string{"tcp-pod-single", "tcp-rr"}})
	}
	return p
}

// law draws the value of a metric, as a factor of what is usual.
type law func(r *rand.Rand, p plan.Trial) float64

// normal is noise of the given standard deviation of one value.
func normal(sd float64) law {
	return func(r *rand.Rand, _ plan.Trial) float64 { return 1 + sd*r.NormFloat64() }
}

// journal makes every trial of a plan: 3 s, of which 2 s are measured, 1 s to
// the next variant, 20 s where a cluster is made.
func journal(p plan.Plan, seed uint64, draw law) []result.Trial {
	r := rand.New(rand.NewPCG(seed, 0))
	var trials []result.Trial
	at, seen, last := begin, map[string]bool{}, ""
	for _, planned := range p.Trials() {
		k := result.KeyOf(planned)
		turn := k.Variant + string(rune(k.Block))
		switch {
		case turn == last:
		case p.FreshCluster || !seen[k.Variant]:
			at = at.Add(20 * time.Second)
		default:
			at = at.Add(time.Second)
		}
		last, seen[k.Variant] = turn, true
		t := result.Trial{
			Schema: result.SchemaVersion, Block: k.Block, Position: planned.Position, Variant: k.Variant, Cell: k.Cell,
			Scenario: planned.Cell.Scenario, Attempt: 1, Status: result.OK, Start: at, End: at.Add(3 * time.Second),
			Window: &result.Window{Start: at.Add(time.Second / 2), End: at.Add(5 * time.Second / 2)},
		}
		value := func(m result.Metric, usual float64) result.Value {
			return result.Value{Metric: m, Value: usual * draw(r, planned)}
		}
		if k.Cell == "tcp-rr" {
			t.Values = append(t.Values, value(latency, 3e-4))
		} else {
			t.Values = append(t.Values, value(throughput, 20e9), value(memory, 300<<20), value(folded, 0.5))
		}
		trials, at = append(trials, t), t.End
	}
	return trials
}

var environment = result.Environment{Created: begin, Topology: "lab"}

// shared simulates every design once for all tests.
var shared = newPlanner()

// calibrate analyses made-up trials and calibrates by them.
func calibrate(t testing.TB, p plan.Plan, trials []result.Trial, o Options) Calibration {
	t.Helper()
	a, err := analysis.Analyze(p, trials, environment)
	if err != nil {
		t.Fatal(err)
	}
	c, err := of(a, trials, environment, o, shared)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// metric returns the first metric of that name.
func metric(t testing.TB, c Calibration, name string) Metric {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no %s", name)
	return Metric{}
}

// codes lists the warnings' codes.
func codes(c Calibration) map[string]int {
	n := map[string]int{}
	for _, w := range c.Warnings {
		n[w.Code]++
	}
	return n
}
