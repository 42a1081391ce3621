package gate

import (
	"fmt"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	latency    = result.Metric{Name: "p99", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10}
	memory     = result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20}
)

// made is a campaign whose figures nobody measured: values of each metric by
// variant, for each block one.
type made struct {
	name     string
	cell     string
	duration string
	values   map[string]map[result.Metric][]float64
	// spoilt replaces a variant's last trials.
	spoilt map[string][]result.Trial
	blocks int
	// once is a campaign that installs every variant once.
	once bool
}

// single is one variant beside host, with these throughputs in Gbit/s.
func single(variant string, gbits ...float64) made {
	host := make([]float64, len(gbits))
	for i := range host {
		host[i] = 20 + 0.1*float64(i)
	}
	return made{blocks: len(gbits), values: map[string]map[result.Metric][]float64{
		"host": {throughput: times(1e9, host)}, variant: {throughput: times(1e9, gbits)},
	}}
}

func times(factor float64, xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = factor * x
	}
	return out
}

// around is n values near x that all differ.
func around(x float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = x * (1 + 0.001*float64(i*7%n) - 0.002*float64(i%3))
	}
	return xs
}

func (m made) analyze(t testing.TB, variants ...string) analysis.Analysis {
	t.Helper()
	p, trials := m.campaign(variants)
	a, err := analysis.Analyze(p, trials, result.Environment{Topology: "lab"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (m made) campaign(variants []string) (plan.Plan, []result.Trial) {
	if m.name == "" {
		m.name, m.cell = "hand-made", "tcp-pod-single"
	}
	if m.duration == "" {
		m.duration = "10s"
	}
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: m.name, Hash: "sha256:0", FreshCluster: !m.once,
		Cells:    []plan.Cell{{ID: m.cell, Scenario: m.cell, Parameters: parameter.Values{"duration": m.duration}}},
		Analysis: plan.Analysis{Base: variants[0], Primary: []string{m.cell + "/throughput"}},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	var trials []result.Trial
	for b := range m.blocks {
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: variants, Cells: []string{m.cell}})
		for i, v := range variants {
			t := result.Trial{Schema: result.SchemaVersion, Block: b + 1, Position: i + 1, Variant: v, Cell: m.cell, Scenario: m.cell, Attempt: 1, Status: result.OK}
			for _, metric := range []result.Metric{throughput, latency, memory} {
				if xs := m.values[v][metric]; b < len(xs) {
					t.Values = append(t.Values, result.Value{Metric: metric, Value: xs[b]})
				}
			}
			if spoilt := m.spoilt[v]; m.blocks-b <= len(spoilt) {
				t.Status, t.Reason, t.Values, t.Marks = spoilt[m.blocks-b-1].Status, spoilt[m.blocks-b-1].Reason, nil, nil
			}
			if len(t.Values) > 0 || t.Status != result.OK {
				trials = append(trials, t)
			}
		}
	}
	return p, trials
}

// spoilt is n trials that gave nothing.
func spoilt(n int, status result.Status, reason string) []result.Trial {
	list := make([]result.Trial, n)
	for i := range list {
		list[i] = result.Trial{Status: status, Reason: reason}
	}
	return list
}

func mustMargin(t testing.TB, text string) Margin {
	t.Helper()
	m, err := ParseMargin(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustLimit(t testing.TB, bound Bound, text string) Limit {
	t.Helper()
	l, err := ParseLimit(bound, text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustDecide(t testing.TB, r Request) Result {
	t.Helper()
	res, err := Decide(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// outcomes writes what became of every check, in a line each.
func outcomes(res Result) []string {
	var list []string
	for _, c := range res.Checks {
		list = append(list, fmt.Sprintf("%s: %s", c.Subject(), c.Outcome))
	}
	return list
}
