package calibration

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// What is missing is said, and nothing is claimed of it.
func TestWhatIsMissing(t *testing.T) {
	asked := Options{Effect: 0.05, Budget: time.Hour}
	p := aaPlan(8, false)
	constant := func(*rand.Rand, plan.Trial) float64 { return 1 }
	only := func(keep func(result.Trial) bool) []result.Trial {
		var list []result.Trial
		for _, trial := range journal(p, 1, normal(0.01)) {
			if !keep(trial) {
				trial.Status, trial.Reason, trial.Values, trial.Window = result.Failed, "made up", nil, nil
			}
			list = append(list, trial)
		}
		return list
	}
	for _, tt := range []struct {
		name   string
		trials []result.Trial
		metric string // empty: there is none at all
		absent string
		pairs  int
	}{
		{"no trials", nil, "", "", 0},
		{"all failed", only(func(result.Trial) bool { return false }), "", "", 0},
		{"no twin", only(func(t result.Trial) bool { return t.Variant == "flannel-vxlan" }), "throughput", "no block has a value of both twins", 0},
		{"twins in turn", only(func(t result.Trial) bool { return (t.Block%2 == 0) == (t.Variant == "flannel-vxlan") }), "throughput", "no block has a value of both twins", 0},
		{"one block", only(func(t result.Trial) bool { return t.Block == 3 }), "throughput", "one block alone has no spread", 1},
		{"two blocks", only(func(t result.Trial) bool { return t.Block < 3 }), "throughput", "", 2},
		{"constant", journal(p, 1, constant), "throughput", "all differences are equal: there is no noise to plan with", 8},
		{"zeros", journal(p, 1, func(*rand.Rand, plan.Trial) float64 { return 0x1p-40 }), "memory", "all differences are equal: there is no noise to plan with", 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := calibrate(t, p, tt.trials, asked)
			if _, err := json.Marshal(c); err != nil {
				t.Fatal(err)
			}
			if tt.metric == "" {
				if len(c.Metrics) > 0 || c.Schedule.Absent == "" {
					t.Errorf("%+v", c)
				}
				return
			}
			m := metric(t, c, tt.metric)
			if m.Pairs != tt.pairs || m.Absent != tt.absent || (len(m.Smallest) > 0) != (tt.absent == "") {
				t.Errorf("%+v", m)
			}
			if m.Primary && codes(c)["too-few-blocks"] != 1 {
				t.Errorf("warnings %v", c.Warnings)
			}
			if codes(c)["twins-differ"] > 0 {
				t.Errorf("twins differ by %d blocks: %v", tt.pairs, c.Warnings)
			}
		})
	}
}

// Whatever a journal holds, a calibration can be written as JSON, counts add
// up, and more blocks find smaller effects.
func TestAnyJournal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		blocks := rapid.IntRange(1, 12).Draw(rt, "blocks")
		p := aaPlan(blocks, rapid.Bool().Draw(rt, "fresh"))
		scale := rapid.Float64Range(1e-6, 0.3).Draw(rt, "noise")
		trials := journal(p, rapid.Uint64().Draw(rt, "seed"), func(r *rand.Rand, _ plan.Trial) float64 { return math.Exp(scale * r.NormFloat64()) })
		var kept []result.Trial
		for _, trial := range trials {
			switch rapid.IntRange(0, 9).Draw(rt, "fate") {
			case 0: // never attempted
				continue
			case 1:
				trial.Status, trial.Reason, trial.Values, trial.Window = result.Invalid, "made up", nil, nil
			case 2: // a clock was set
				trial.Start, trial.End = trial.Start.Add(-time.Hour), trial.End.Add(-time.Hour)
			}
			kept = append(kept, trial)
		}
		a, err := analysis.Analyze(p, kept, environment)
		if err != nil {
			rt.Fatal(err)
		}
		c, err := of(a, kept, environment, Options{Effect: 0.5}, shared)
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := json.Marshal(c); err != nil {
			rt.Fatal(err)
		}
		for _, m := range c.Metrics {
			if m.Pairs > blocks || (m.Absent == "") != (len(m.Smallest) > 0) {
				rt.Fatalf("%+v", m)
			}
			for i, s := range m.Smallest {
				if s.At80 <= m.Margin || s.At95 < s.At80 || i > 0 && s.At80 >= m.Smallest[i-1].At80 || s.Cautious != nil && *s.Cautious < s.At80 {
					rt.Fatalf("%s: %+v", m.Name, m.Smallest)
				}
			}
		}
	})
}
