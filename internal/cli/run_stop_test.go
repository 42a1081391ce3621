package cli

import (
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// throughputs is a journal of whole blocks in which b has the given share of
// a's throughput.
func throughputs(p plan.Plan, shares ...float64) []result.Trial {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	var trials []result.Trial
	for _, t := range p.Trials() {
		if t.Block > len(shares) {
			continue
		}
		v := 1e10
		if t.Variant.Name == "b" {
			v *= shares[t.Block-1]
		}
		trials = append(trials, result.Trial{
			Schema: result.SchemaVersion, Block: t.Block, Position: t.Position, Variant: t.Variant.Name, Cell: t.Cell.ID, Scenario: t.Cell.Scenario,
			Attempt: 1, Status: result.OK, Start: start, End: start, Values: []result.Value{{Metric: m, Value: v}},
		})
	}
	return trials
}

func TestEnough(t *testing.T) {
	p := plan.Plan{
		Variants: []plan.Variant{{Name: "a"}, {Name: "b"}},
		Cells:    []plan.Cell{{ID: "tcp", Scenario: "tcp"}},
		Analysis: plan.Analysis{Base: "a", Primary: []string{"tcp/throughput"}},
		Stop:     &plan.Stop{Looks: []int{10, 15, 20}, HalfWidth: 0.02},
	}
	for i := range 20 {
		p.Blocks = append(p.Blocks, plan.Block{Index: i + 1, Order: []string{"a", "b"}, Cells: []string{"tcp"}})
	}
	narrow := []float64{0.9, 0.901, 0.899, 0.9, 0.902, 0.898, 0.9, 0.901, 0.899, 0.9, 0.901}
	wide := []float64{0.9, 0.6, 0.7, 1.1, 0.5, 0.9, 0.8, 0.7, 1.2, 0.6}
	const stopped = "stopping after 10 of at most 20 blocks: every interval is narrower than ±2 %"
	for _, tt := range []struct {
		name   string
		shares []float64
		want   string
	}{
		{"before the first look", narrow[:9], ""},
		{"narrow enough", narrow[:10], stopped},
		{"too wide", wide, ""},
		{"between two looks", narrow, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := enough(p)(len(tt.shares), throughputs(p, tt.shares...))
			if err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
	p.Stop = nil
	if enough(p) != nil {
		t.Error("a plan without a rule is asked about")
	}
}
