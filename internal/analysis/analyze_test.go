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
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	cellID = "tcp-pod-multi"
	mib    = 1 << 20
)

var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	memory     = result.Metric{Name: "memory-overhead", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 * mib}
)

// testPlan has one cell, the given number of blocks, and host as its base. The
// order of the variants turns by one place in every block.
func testPlan(blocks int, variants ...string) plan.Plan {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "hand-made", Hash: "sha256:0", Seed: 1, FreshCluster: true,
		Cells:    []plan.Cell{{ID: cellID, Scenario: cellID, Duration: 10 * time.Second, Streams: 8, Placement: "cross-node"}},
		Analysis: plan.Analysis{Base: "host", Primary: []string{cellID + "/throughput"}},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	for b := range blocks {
		turn := b % len(variants)
		order := append(append([]string{}, variants[turn:]...), variants[:turn]...)
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: order, Cells: []string{cellID}})
	}
	return p
}

// trial is the planned trial of a block and variant, ok, with these values.
func trial(p plan.Plan, block int, variant string, values ...result.Value) result.Trial {
	t := result.Trial{
		Schema: result.SchemaVersion, Block: block, Variant: variant, Cell: cellID, Scenario: cellID,
		Attempt: 1, Status: result.OK, Values: values,
	}
	for i, v := range p.Blocks[block-1].Order {
		if v == variant {
			t.Position = i + 1
		}
	}
	return t
}

func gbits(x float64) result.Value { return result.Value{Metric: throughput, Value: x * 1e9} }
func mibs(x float64) result.Value  { return result.Value{Metric: memory, Value: x * mib} }

// handMade is a journal of three variants in six blocks.
func handMade() (plan.Plan, []result.Trial) {
	p := testPlan(6, "flannel-vxlan", "host", "cilium-kpr")
	var trials []result.Trial
	for b, host := range []float64{20, 21, 20.5, 19.8, 20.2, 20.6} {
		trials = append(trials, trial(p, b+1, "host", gbits(host), mibs(0)),
			trial(p, b+1, "flannel-vxlan", gbits(0.8*host), mibs(float64(11+b))))
	}
	for b, cilium := range []float64{20.1, 20.9, 20.4, 19.9} {
		trials = append(trials, trial(p, b+1, "cilium-kpr", gbits(cilium), mibs(float64(200+b))))
	}
	trials[0].Marks = []result.Mark{{Name: "cpu-saturated", Detail: "97 % busy"}}
	trials[3].Values[1].Partial = "the agents' page cache"
	lost := trial(p, 5, "cilium-kpr")
	lost.Status, lost.Reason = result.Failed, "agent not ready after 180s"
	again := lost
	again.Attempt, again.Status, again.Reason = 2, result.Invalid, "0.4 cores of foreign CPU"
	return p, append(trials, lost, again)
}

var handMadeEnvironment = result.Environment{
	Topology: "lab",
	Variants: map[string]result.Variant{
		"host":          {Versions: map[string]string{"kubernetes": "v1.34.4"}, PodSysctls: map[string]string{"net.ipv4.tcp_congestion_control": "cubic"}},
		"flannel-vxlan": {Versions: map[string]string{"kubernetes": "v1.34.4"}, PodSysctls: map[string]string{"net.ipv4.tcp_congestion_control": "bbr"}},
	},
}

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

func warned(a Analysis, code string) bool {
	for _, w := range a.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

func TestStabilityWarnings(t *testing.T) {
	p := testPlan(10, "host", "b")
	flat := func(block, position int) float64 { return math.Sin(float64(block*3+position*5)) / 1000 }
	tests := []struct {
		code   string
		change func(block, position int) float64 // as a fraction
	}{
		{"", flat},
		{"drift", func(b, q int) float64 { return 0.01*float64(b) + flat(b, q) }},
		{"position-effect", func(b, q int) float64 { return 0.01*float64(q) + flat(b, q) }},
		{"spread", func(b, q int) float64 { return 0.2 * math.Sin(float64(b*b+17*q)) }},
	}
	for _, test := range tests {
		t.Run(test.code, func(t *testing.T) {
			var trials []result.Trial
			for b := range p.Blocks {
				for _, v := range []string{"host", "b"} {
					tr := trial(p, b+1, v)
					tr.Values = []result.Value{gbits(20 * (1 + test.change(b+1, tr.Position)))}
					trials = append(trials, tr)
				}
			}
			a := analyze(t, p, trials, result.Environment{})
			for _, code := range []string{"drift", "position-effect", "spread"} {
				if warned(a, code) != (code == test.code) {
					t.Errorf("warning %q is %v, want only %q: %v", code, warned(a, code), test.code, a.Warnings)
				}
			}
		})
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
