package analysis

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func analyze(t testing.TB, p plan.Plan, trials []result.Trial, env result.Environment) Analysis {
	t.Helper()
	a, err := Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestGolden(t *testing.T) {
	p, trials := handMade()
	got, err := json.MarshalIndent(analyze(t, p, trials, handMadeEnvironment), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	file := filepath.Join("testdata", "hand-made.golden.json")
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
		t.Errorf("analysis (-golden +got):\n%s", diff)
	}
}

// One comparison by hand: the memory of flannel-vxlan less that of host is
// 11, 12, 13, 14, 15 and 16 MiB in the six blocks.
//
//   - The Walsh averages run from 11 to 16 and are symmetric about 13.5, their
//     median: the Hodges–Lehmann estimate.
//   - A signed-rank sum of 0 has probability 1/64 = 0.0156 and one of at most 1
//     has 2/64 = 0.031; only the first is within 0.025, so the 95 % interval
//     reaches from the smallest to the largest average, [11, 16], and attains
//     1 − 2/64 = 0.96875.
//   - All six differences are above the margin of 10 MiB and lower is better:
//     p(worse) = 1/64. None is below −10: p(better) = 1. Equivalent needs the
//     shift to be below 10: all ranks speak against it, p = 1.
//   - It is exploratory (only throughput is primary), so 1/64 ≤ 0.025 decides:
//     worse.
func TestOneComparisonByHand(t *testing.T) {
	p, trials := handMade()
	got := find(t, analyze(t, p, trials, handMadeEnvironment), "memory-overhead", "host", "flannel-vxlan")
	want := Comparison{
		A: "host", B: "flannel-vxlan", AgainstBase: true,
		Effect: &Effect{
			Estimate: 13.5 * mib,
			Interval: &Interval{Low: 11 * mib, High: 16 * mib, Confidence: 0.95, Coverage: 0.96875},
		},
		Band:    Band{Low: -10 * mib, High: 10 * mib},
		Verdict: stats.Worse,
		P:       &Claims{Better: 1, Worse: 1.0 / 64, Equivalent: 1},
	}
	for i := range 6 {
		d := float64(11+i) * mib
		want.Pairs = append(want.Pairs, Pair{Block: i + 1, A: 0, B: d, Difference: d})
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Effect{}, "Spread"), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("comparison (-by hand +got):\n%s", diff)
	}
}

// find returns the comparison of b with a in the only cell.
func find(t testing.TB, an Analysis, metric, a, b string) Comparison {
	t.Helper()
	for _, m := range an.Cells[0].Metrics {
		for _, c := range m.Comparisons {
			if m.Name == metric && c.A == a && c.B == b {
				return c
			}
		}
	}
	t.Fatalf("no comparison of %s: %s against %s", metric, b, a)
	return Comparison{}
}

// In every block b has factor times a's throughput; a wobbles, as machines do.
func steady(p plan.Plan, factor float64) []result.Trial {
	var trials []result.Trial
	for _, b := range p.Blocks {
		host := 20 + math.Sin(float64(b.Index))
		wobble := 1 + 0.001*math.Cos(float64(7*b.Index))
		trials = append(trials, trial(p, b.Index, "host", gbits(host)), trial(p, b.Index, "b", gbits(host*factor*wobble)))
	}
	return trials
}

func TestVerdicts(t *testing.T) {
	tests := []struct {
		name   string
		blocks int
		factor float64
		want   stats.Verdict
	}{
		{"far above the margin", 10, 1.10, stats.Better},
		{"far below it", 10, 0.90, stats.Worse},
		{"within it", 10, 1.00, stats.Equivalent},
		{"at the margin", 10, 1.03, stats.Inconclusive},
		{"clear, but too few blocks", 5, 0.50, stats.Inconclusive},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := testPlan(test.blocks, "host", "b")
			c := find(t, analyze(t, p, steady(p, test.factor), result.Environment{}), "throughput", "host", "b")
			if c.Verdict != test.want {
				t.Errorf("verdict %s, want %s (p %+v)", c.Verdict, test.want, *c.P)
			}
			if (c.Verdict == stats.Inconclusive) != (c.Further > 0 || c.Open != "") {
				t.Errorf("verdict %s with %d further blocks, %q", c.Verdict, c.Further, c.Open)
			}
		})
	}
}

// The plan's margin replaces the metric's own: 10 % less is then within it.
func TestPlanMarginOverrides(t *testing.T) {
	p := testPlan(10, "host", "b")
	p.Analysis.Margins = map[string]float64{"throughput": 0.15}
	c := find(t, analyze(t, p, steady(p, 0.9), result.Environment{}), "throughput", "host", "b")
	if c.Verdict != stats.Equivalent {
		t.Errorf("verdict %s, want equivalent", c.Verdict)
	}
	if want := (Band{Low: 1/1.15 - 1, High: 0.15}); !cmp.Equal(c.Band, want, cmpopts.EquateApprox(1e-12, 0)) {
		t.Errorf("band %v, want %v", c.Band, want)
	}
}

// A declared primary metric that nobody measured keeps its place in the
// family: six blocks settle one comparison, and no longer one of two.
func TestUnmeasuredPrimaryStaysInTheFamily(t *testing.T) {
	p := testPlan(6, "host", "b")
	if c := find(t, analyze(t, p, steady(p, 0.8), result.Environment{}), "throughput", "host", "b"); c.Verdict != stats.Worse {
		t.Errorf("alone: verdict %s, want worse", c.Verdict)
	}
	p.Analysis.Primary = append(p.Analysis.Primary, cellID+"/rtt")
	a := analyze(t, p, steady(p, 0.8), result.Environment{})
	c := find(t, a, "throughput", "host", "b")
	if c.Verdict != stats.Inconclusive || c.Adjusted.Worse != 2.0/64 {
		t.Errorf("with an unmeasured one: verdict %s, adjusted p %v; want inconclusive, 2/64", c.Verdict, c.Adjusted.Worse)
	}
	for _, code := range []string{"primary-unmeasured", "too-few-blocks"} {
		if !warned(a, code) {
			t.Errorf("no warning %s among %v", code, a.Warnings)
		}
	}
}

func TestAMissingArmDropsItsPairsOnly(t *testing.T) {
	p, trials := handMade()
	a := analyze(t, p, trials, handMadeEnvironment)
	for _, test := range []struct {
		a, b string
		want int
	}{{"host", "flannel-vxlan", 6}, {"host", "cilium-kpr", 4}, {"flannel-vxlan", "cilium-kpr", 4}} {
		if got := len(find(t, a, "throughput", test.a, test.b).Pairs); got != test.want {
			t.Errorf("%s against %s has %d pairs, want %d", test.b, test.a, got, test.want)
		}
	}
}

func TestAnalyzeRefuses(t *testing.T) {
	p := testPlan(2, "host", "b")
	kbit := throughput
	kbit.Unit = "kbit/s"
	foreignBase := p
	foreignBase.Analysis.Base = "calico"
	tests := []struct {
		name   string
		plan   plan.Plan
		trials []result.Trial
		want   string
	}{
		{"one metric in two units", p, []result.Trial{
			trial(p, 1, "host", gbits(1)), trial(p, 1, "b", result.Value{Metric: kbit, Value: 1}),
		}, "declares throughput as"},
		{"a trial of another plan", testPlan(1, "host", "b"), []result.Trial{trial(p, 2, "host", gbits(1))}, "the plan has not"},
		{"a base that is no variant", foreignBase, nil, `the base "calico" is not a variant`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Analyze(test.plan, test.trials, result.Environment{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want …%s…", err, test.want)
			}
		})
	}
}

// Whatever is lost, nothing is silently dropped: every planned trial is counted
// once, and every ok value is a sample. The result can be written as JSON,
// which has no infinities.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := testPlan(rapid.IntRange(1, 8).Draw(rt, "blocks"), "host", "b", "c")
		var trials []result.Trial
		ok := 0
		for _, k := range p.Trials() {
			tr := trial(p, k.Block, k.Variant.Name, gbits(rapid.Float64Range(1, 40).Draw(rt, "gbits")))
			switch fate := rapid.SampledFrom([]result.Status{result.OK, result.OK, result.Failed, result.Invalid, "missing"}).Draw(rt, "fate"); fate {
			case "missing":
				continue
			case result.OK:
				ok++
			default:
				tr.Status, tr.Reason, tr.Values = fate, "drawn", nil
			}
			trials = append(trials, tr)
		}
		a, err := Analyze(p, trials, result.Environment{})
		if err != nil {
			rt.Fatal(err)
		}
		samples := 0
		for _, m := range a.Cells[0].Metrics {
			for _, arm := range m.Arms {
				samples += len(arm.Samples)
			}
		}
		sum := a.Counts.OK + len(a.Dropped) + len(a.Missing)
		if samples != ok || a.Counts.OK != ok || sum != 3*len(p.Blocks) {
			rt.Fatal(fmt.Sprintf("%d ok trials gave %d samples; %d of %d are accounted for", ok, samples, sum, 3*len(p.Blocks)))
		}
		if _, err := json.Marshal(a); err != nil {
			rt.Fatal(err)
		}
	})
}
