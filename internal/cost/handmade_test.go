package cost

import (
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Everything in this file is made up. Nobody measured it.

func metric(name, unit string, better result.Better, scale result.Scale) result.Metric {
	margin := 0.03
	if unit == "bytes" {
		margin = 10 << 20
	}
	return result.Metric{Name: name, Unit: unit, Better: better, Scale: scale, Margin: margin}
}

var (
	p99        = metric("latency-p99", "s", result.Lower, result.Ratio)
	rate       = metric("rate", "1/s", result.Higher, result.Ratio)
	busy       = metric("cpu", "cores", result.Lower, result.Ratio)
	perGbit    = metric("cpu-per-gbit", "mCPU/(Gbit/s)", result.Lower, result.Ratio)
	working    = metric("memory", "bytes", result.Lower, result.Difference)
	joules     = metric("energy-per-gbit", "J/Gbit", result.Lower, result.Ratio)
	throughput = metric("throughput", "bit/s", result.Higher, result.Ratio)
)

// made is a campaign: cells with values by variant, metric and block. A block
// whose value is lost has none.
type made struct {
	cells    []string
	variants []string
	blocks   int
	value    func(cell, variant string, m result.Metric, block int) (float64, bool)
	imported *plan.Imported
	twin     *plan.Twin
	single   bool // one installation of each variant
}

// metricsOf are those of the cells that made has.
func metricsOf(cell string) []result.Metric {
	switch cell {
	case "tcp-rr":
		return []result.Metric{p99, rate, busy, working}
	case "idle":
		return []result.Metric{busy, working}
	}
	return []result.Metric{throughput, perGbit, busy, working, joules}
}

func (m made) analyze(t testing.TB) analysis.Analysis {
	t.Helper()
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "made-up", Hash: "sha256:0", FreshCluster: !m.single, Imported: m.imported,
		Analysis: plan.Analysis{Base: m.variants[0], AA: m.twin},
	}
	if m.imported == nil {
		p.Cluster = plan.Cluster{Existing: &plan.Existing{}}
	}
	for _, v := range m.variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	for _, c := range m.cells {
		p.Cells = append(p.Cells, plan.Cell{ID: c, Scenario: c})
	}
	var trials []result.Trial
	for b := 1; b <= m.blocks; b++ {
		p.Blocks = append(p.Blocks, plan.Block{Index: b, Order: m.variants, Cells: m.cells})
		for i, v := range m.variants {
			for _, c := range m.cells {
				trial := result.Trial{Schema: result.SchemaVersion, Block: b, Position: i + 1, Variant: v, Cell: c, Scenario: c, Attempt: 1, Status: result.OK}
				for _, x := range metricsOf(c) {
					if value, ok := m.value(c, v, x, b); ok {
						trial.Values = append(trial.Values, result.Value{Metric: x, Value: value})
					}
				}
				if len(trial.Values) == 0 {
					trial.Status, trial.Reason = result.Failed, "made up: no route"
				}
				trials = append(trials, trial)
			}
		}
	}
	a, err := analysis.Analyze(p, trials, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// figures are what a variant uses in the middle.
type figures struct {
	p99     float64 // µs
	rate    float64 // 1/s
	cores   float64
	memory  float64 // MiB
	gbits   float64
	perGbit float64 // mCPU
	joules  float64
}

// typical has lean, which takes less than rich and is slower.
var typical = map[string]figures{
	"host":  {100, 2000, 1.00, 1000, 24, 40, 3},
	"lean":  {260, 2000, 1.20, 1080, 20, 50, 3.5},
	"rich":  {180, 2000, 1.60, 1400, 22, 70, 4.5},
	"alike": {260, 2000, 1.20, 1080, 20, 50, 3.5},
}

// wobble is a little noise, other in each block and for each variant.
func wobble(variant string, block int) float64 {
	return 0.004 * float64((block*block+len(variant)*block*3+int(variant[0]))%7-3)
}

// normal is a campaign of all that is typical.
func normal(blocks int, cells ...string) made {
	return made{
		cells: cells, variants: []string{"host", "lean", "rich", "alike"}, blocks: blocks,
		value: func(_, variant string, m result.Metric, block int) (float64, bool) {
			f, noise := typical[variant], 1+wobble(variant, block)
			switch m.Name {
			case p99.Name:
				return f.p99 * 1e-6 * noise, true
			case rate.Name:
				return f.rate, true
			case busy.Name:
				return f.cores * noise, true
			case working.Name:
				return f.memory * (1 << 20) * noise, true
			case throughput.Name:
				return f.gbits * 1e9 * noise, true
			case perGbit.Name:
				return f.perGbit * noise, true
			}
			return f.joules * noise, true
		},
	}
}

// without loses metrics of a variant, in the blocks from first on.
func (m made) without(variant string, first int, names ...string) made {
	value := m.value
	m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
		if v == variant && block >= first {
			for _, name := range names {
				if name == x.Name || name == cell {
					return 0, false
				}
			}
		}
		return value(cell, v, x, block)
	}
	return m
}

func (m made) costs(t testing.TB, p Prices, o Options) Costs {
	t.Helper()
	c, err := Campaign(m.analyze(t), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
