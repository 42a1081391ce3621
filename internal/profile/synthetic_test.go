package profile

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Everything in this file is synthetic: no figure was measured, and the names
// of plugins are borrowed.

// The metrics of the synthetic campaigns.
var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	p99        = result.Metric{Name: "latency-p99", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10}
	memory     = result.Metric{Name: "cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20}
)

// figures are a variant's made-up means.
type figures struct {
	name                   string
	gbits, latency, memory float64 // Gbit/s, µs, MiB
}

// campaign describes made-up results.
type campaign struct {
	variants []figures
	blocks   int
	noise    float64 // relative, of every value; 0: none
	unpaired bool
	twin     string // of the first variant
	// lose says what became of a trial; empty: it is ok.
	lose func(block int, variant, cell string) string
}

var cells = []plan.Cell{
	{ID: "tcp-service-multi", Scenario: "tcp-service-multi", Parameters: parameter.Values{"streams": "8", "placement": "cross-node"}},
	{ID: "tcp-rr", Scenario: "tcp-rr", Parameters: parameter.Values{"rate": "2000", "placement": "cross-node"}},
	{ID: "cni-resources.load=idle", Scenario: "cni-resources", Parameters: parameter.Values{"load": "idle"}},
	{ID: "cni-resources.load=tcp-pod-multi", Scenario: "cni-resources", Parameters: parameter.Values{"load": "tcp-pod-multi"}},
}

// need weighs the three metrics.
func need(weights ...float64) Profile {
	p := Profile{Name: "made-up", Title: "a made-up need", Least: DefaultLeast}
	for i, m := range []Measure{
		{What: "throughput to a Service", Of: []Pattern{{"tcp-service-multi", "throughput", nil}}},
		{What: "p99", Of: []Pattern{{"tcp-rr", "latency-p99", []Condition{{"rate", ">=", []string{"1000"}}}}}},
		{What: "memory", Of: []Pattern{{"cni-resources", "cni-memory", nil}}},
	} {
		if i < len(weights) && weights[i] > 0 {
			m.Weight = weights[i]
			p.Weights = append(p.Weights, m)
		}
	}
	return p
}

func (c campaign) plan() plan.Plan {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "made-up", Hash: "sha256:00", Seed: 1, Cells: cells,
		Cluster:  plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}},
		Analysis: plan.Analysis{Primary: []string{"tcp-rr/latency-p99"}},
	}
	if c.unpaired {
		p.Imported = &plan.Imported{Format: "csv", Source: "made-up.csv"}
	}
	for _, v := range c.variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v.name, Entry: v.name})
	}
	p.Analysis.Base = c.variants[0].name
	if c.twin != "" {
		p.Variants = append(p.Variants, plan.Variant{Name: c.twin, Entry: c.variants[0].name})
		p.Analysis.AA = &plan.Twin{Variant: c.variants[0].name, Name: c.twin}
	}
	for b := range c.blocks {
		block := plan.Block{Index: b + 1}
		for i := range p.Variants {
			block.Order = append(block.Order, p.Variants[(i+b)%len(p.Variants)].Name)
		}
		for _, cell := range cells {
			block.Cells = append(block.Cells, cell.ID)
		}
		p.Blocks = append(p.Blocks, block)
	}
	return p
}

// analyze draws the journal and analyses it.
func (c campaign) analyze(t testing.TB) analysis.Analysis {
	t.Helper()
	p := c.plan()
	r := rand.New(rand.NewPCG(5, 9))
	var trials []result.Trial
	for _, planned := range p.Trials() {
		var of figures
		for _, v := range c.variants {
			if v.name == planned.Variant.Entry {
				of = v
			}
		}
		trials = append(trials, c.trial(r, of, planned))
	}
	a, err := analysis.Analyze(p, trials, result.Environment{Schema: result.SchemaVersion})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (c campaign) trial(r *rand.Rand, of figures, planned plan.Trial) result.Trial {
	start := time.Date(2026, 11, 2, 8, planned.Block, planned.Position, 0, time.UTC)
	t := result.Trial{
		Schema: result.SchemaVersion, Block: planned.Block, Position: planned.Position, Variant: planned.Variant.Name, Cell: planned.Cell.ID,
		Scenario: planned.Cell.Scenario, Attempt: 1, Status: result.OK, Start: start, End: start.Add(time.Second), Raw: "raw",
	}
	if c.lose != nil {
		if why := c.lose(planned.Block, planned.Variant.Name, planned.Cell.ID); why != "" {
			t.Status, t.Reason = result.Failed, why
			return t
		}
	}
	// What a block does to all, and what it does to each.
	x := (1 + 0.01*float64(planned.Block%5)) * (1 + c.noise*r.NormFloat64())
	switch planned.Cell.Scenario {
	case "tcp-service-multi":
		t.Values = []result.Value{{Metric: throughput, Value: of.gbits * 1e9 * x}}
	case "tcp-rr":
		t.Values = []result.Value{{Metric: p99, Value: of.latency * 1e-6 * x}}
	default:
		t.Values = []result.Value{{Metric: memory, Value: of.memory * (1 << 20) * x}}
	}
	return t
}

// rank fails the test when it cannot be done.
func rank(t testing.TB, p Profile, a analysis.Analysis, traits ...Traits) Ranking {
	t.Helper()
	r, err := Rank(p, a, traits)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func names(r Ranking) []string {
	var list []string
	for _, s := range r.Standings {
		if s.Rank > 0 {
			list = append(list, s.Variant)
		}
	}
	return list
}

// three have each its strength.
var three = []figures{{"fast", 20, 100, 300}, {"quick", 15, 60, 200}, {"small", 14, 110, 50}}

func ExampleRank() {
	fmt.Println(need(1).Weights[0].Of[0])
	fmt.Println(need(0, 1).Weights[0].Of[0])
	// Output:
	// tcp-service-multi/throughput
	// tcp-rr/latency-p99 (rate ≥ 1000)
}
