package gate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// The base is at 20 Gbit/s and a little more in every block.
func TestWithinBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		gbits  []float64
		margin string
		want   stats.Outcome
		says   string
	}{
		{"as good", around(20.2, 8), "3%", stats.Pass, "8 pairs"},
		{"better", around(25, 8), "3%", stats.Pass, "margin 3 %"},
		{"clearly worse", around(15, 8), "3%", stats.Regression, "against host"},
		{"worse, and that is good enough", around(15, 8), "60%", stats.Pass, "margin 60 %"},
		{"too few blocks", around(20.2, 5), "3%", stats.Undecided, "about 1 more block is likely"},
		{"a single block", around(20, 1), "3%", stats.Undecided, "no interval from 1 pair"},
		{"all the same", []float64{20, 20.1, 20.2, 20.3, 20.4, 20.5}, "3%", stats.Pass, "0.0 %"},
		{"equal to the margin", []float64{20 / 1.03, 20.1 / 1.03, 20.2 / 1.03, 20.3 / 1.03, 20.4 / 1.03, 20.5 / 1.03}, "3%", stats.Undecided, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := mustDecide(t, Request{Now: single("cni", c.gbits...).analyze(t, "host", "cni"), Margins: []Margin{mustMargin(t, c.margin)}})
			if res.Outcome != c.want || len(res.Checks) != 1 || res.Checks[0].Outcome != c.want {
				t.Errorf("%s: %v, want %s", res.Outcome, outcomes(res), c.want)
			}
			if got := res.Checks[0].Explain(res.against()); !strings.Contains(got, c.says) {
				t.Errorf("%q does not say %q", got, c.says)
			}
		})
	}
}

// Six blocks can decide one check and no family of two: 2⁻⁶ > 0.025/2.
func TestFamilyIsOne(t *testing.T) {
	m := single("a", around(15, 6)...)
	m.values["b"] = map[result.Metric][]float64{throughput: times(1e9, around(15, 6))}
	now := m.analyze(t, "host", "a", "b")
	if res := mustDecide(t, Request{Now: now}); res.Outcome != stats.Undecided || len(res.Checks) != 2 {
		t.Errorf("%s: %v", res.Outcome, outcomes(res))
	}
	if res := mustDecide(t, Request{Now: now, Variants: []string{"a", "a"}}); res.Outcome != stats.Regression || len(res.Checks) != 1 {
		t.Errorf("%s: %v", res.Outcome, outcomes(res))
	}
	// A variant that was not measured keeps its place.
	m.values["b"] = nil
	res := mustDecide(t, Request{Now: m.analyze(t, "host", "a", "b")})
	want := []string{"a tcp-pod-single/throughput: inconclusive", "b tcp-pod-single/throughput: inconclusive"}
	if diff := cmp.Diff(want, outcomes(res)); diff != "" {
		t.Error(diff)
	}
}

func TestLimits(t *testing.T) {
	now := single("cni", around(9.5, 7)...)
	now.values["cni"][latency] = times(1e-3, around(0.8, 7))
	a := now.analyze(t, "host", "cni")
	for text, want := range map[string]stats.Outcome{
		"min throughput=9Gbit/s":               stats.Pass,
		"min throughput=9e3 Mbit/s":            stats.Pass,
		"min tcp-pod-single/throughput=9e9":    "usage",
		"min throughput=10Gbit/s":              stats.Regression,
		"min throughput=9.5Gbit/s":             stats.Undecided,
		"max throughput=9Gbit/s":               stats.Regression,
		"max p99=1ms":                          stats.Pass,
		"max p99=700us":                        stats.Regression,
		"max p99=1Gbit/s":                      "usage",
		"min throughput=0bit/s":                "usage",
		"min thruput=9Gbit/s":                  "usage",
		"min idle/throughput=9Gbit/s":          "usage",
		"min tcp-pod-single/throughput=9ms":    "usage",
		"max tcp-pod-single/p99=0.001s":        stats.Pass,
		"max tcp-pod-single/p99=0.000700e-3 s": stats.Regression,
	} {
		bound, rest, _ := strings.Cut(text, " ")
		res, err := Decide(Request{Now: a, Limits: []Limit{mustLimit(t, Bound(bound), rest)}, LimitsOnly: true})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "--"+bound+" ") {
				t.Errorf("%s: the error does not name the flag: %v", text, err)
			}
			res.Outcome = "usage"
		}
		if res.Outcome != want {
			t.Errorf("%s: %s, want %s (%v)", text, res.Outcome, want, outcomes(res))
		}
	}
}

func TestAgainstBaseline(t *testing.T) {
	good := single("cni", around(15, 6)...)
	before := good.analyze(t, "host", "cni")
	request := func(now analysis.Analysis, allow ...string) Request {
		return Request{Now: now, Baseline: &before, Allow: allow}
	}
	if res := mustDecide(t, request(before)); res.Outcome != stats.Pass || len(res.Checks) != 1 || res.Checks[0].OtherN != 6 {
		t.Errorf("against itself: %v", outcomes(res))
	}
	if res := mustDecide(t, request(single("cni", around(12, 5)...).analyze(t, "host", "cni"))); res.Outcome != stats.Regression {
		t.Errorf("20 %% less: %v", outcomes(res))
	}
	if res := mustDecide(t, request(single("other", around(15, 6)...).analyze(t, "host", "other"))); res.Outcome != stats.Undecided ||
		!strings.Contains(res.Checks[0].Reason, "has no variant other") {
		t.Errorf("a variant that the baseline lacks: %+v", res.Checks)
	}
	shorter := good
	shorter.duration = "1s"
	now := shorter.analyze(t, "host", "cni")
	res := mustDecide(t, request(now))
	if res.Outcome != Unfit || res.Checks[0].Outcome != stats.Undecided || len(res.Unfit) != 1 || !strings.Contains(res.Unfit[0], "scenario.duration was 10s for the baseline and is 1s now") {
		t.Errorf("another duration: %v, %q", outcomes(res), res.Unfit)
	}
	for _, allow := range []string{"scenario.duration", "scenario.*", "*.duration", "s*o.*dur*n", "*", AllowAll} {
		if res := mustDecide(t, request(now, "kernel.release", allow)); res.Outcome != stats.Pass || !res.Differences[0].Allowed {
			t.Errorf("allowed as %s: %v, %q", allow, outcomes(res), res.Unfit)
		}
	}
	for _, allow := range []string{"scenario", "", "scenario.durations", "Scenario.duration", "*.dur", "duration*", "scenario.duration*x", "s*durationscenario*"} {
		if res := mustDecide(t, request(now, allow)); res.Outcome != Unfit {
			t.Errorf("allowed by %q", allow)
		}
	}
}

// A difference of a variant that has to pass, or of the machine, is a reason
// to refuse; one of somebody else is not.
func TestDifferencesThatConcern(t *testing.T) {
	before := single("cni", around(15, 6)...).analyze(t, "host", "cni")
	for variant, want := range map[string]stats.Outcome{"": Unfit, "cni": Unfit, "host": stats.Pass} {
		d := analysis.EnvironmentDifference{Name: "uplink.mtu", A: "1500", B: "1400", Places: []analysis.Place{{Variant: variant}}}
		if res := mustDecide(t, Request{Now: before, Baseline: &before, Differences: []analysis.EnvironmentDifference{d}}); res.Outcome != want {
			t.Errorf("in %q: %s, want %s", variant, res.Outcome, want)
		}
	}
}

// Looks before the last block, and variants measured twice, are the plan's.
func TestPlansThatLookAndTwins(t *testing.T) {
	m := single("cni", around(20.3, 8)...)
	m.values["twin"] = m.values["host"]
	now := m.analyze(t, "host", "cni", "twin")
	now.Plan.Analysis.AA = &plan.Twin{Name: "twin", Variant: "host"}
	now.Plan.Stop = &plan.Stop{Looks: []int{10, 15}, HalfWidth: 0.02}
	res := mustDecide(t, Request{Now: now})
	if res.Alpha != stats.AdaptiveAlpha || len(res.Checks) != 1 {
		t.Errorf("level %v, %v", res.Alpha, outcomes(res))
	}
	if res := mustDecide(t, Request{Now: now, Variants: []string{"twin"}}); len(res.Checks) != 1 || res.Outcome != stats.Pass {
		t.Errorf("the twin by name: %v", outcomes(res))
	}
	before := m.analyze(t, "host", "cni", "twin")
	if res := mustDecide(t, Request{Now: before, Baseline: &now}); res.Alpha != stats.AdaptiveAlpha {
		t.Errorf("against a baseline that looked: level %v", res.Alpha)
	}
}

// Runs of another program that are no blocks are independent samples: 4
// against 4 have a smallest p of 1/70, 8 pairs one of 1/256.
func TestImportedRuns(t *testing.T) {
	now := single("cni", around(15, 4)...).analyze(t, "host", "cni")
	if res := mustDecide(t, Request{Now: now}); res.Outcome != stats.Undecided || res.Checks[0].OtherN != 0 {
		t.Errorf("as pairs: %+v", res.Checks)
	}
	now.Plan.Imported = &plan.Imported{}
	res := mustDecide(t, Request{Now: now})
	if c := res.Checks[0]; res.Outcome != stats.Regression || c.OtherN != 4 || c.P.Worse != 1./70 {
		t.Errorf("as samples: %+v", c)
	}
	if text := write(t, "txt", res); !strings.Contains(text, "\nagainst host, as independent samples\n") {
		t.Errorf("it does not say how it compares:\n%s", text)
	}
}

// What a reader of imported figures must know stands beside them.
func TestImportedWarnings(t *testing.T) {
	m := single("cni", 15, 15.1)
	m.spoilt = map[string][]result.Trial{"cni": spoilt(1, result.Failed, "no route")}
	p, trials := m.campaign([]string{"host", "cni"})
	p.Imported = &plan.Imported{Format: "csv", Source: "numbers.csv"}
	now, err := analysis.Analyze(p, trials[:len(trials)-1], result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	res := mustDecide(t, Request{Now: now})
	var codes []string
	for _, w := range res.Warnings {
		codes = append(codes, w.Code)
	}
	if diff := cmp.Diff([]string{"imported", "unpaired", "unfinished"}, codes); diff != "" {
		t.Error(diff)
	}
	if w := res.Warnings[len(res.Warnings)-1]; w.Hint != "import it again with all its runs" {
		t.Errorf("nobody can resume what another program measured: %+v", w)
	}
	for _, want := range []string{"no interval from 1 block against 2", "too few values to say how many more blocks decide it"} {
		if got := res.Checks[0].Explain("host"); !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	res = mustDecide(t, Request{Now: now, Baseline: &now})
	if w := res.Warnings; len(w) != 4 || w[0].Code != "imported" || w[2].Code != "imported" || !strings.HasPrefix(w[2].Message, "the baseline: ") {
		t.Errorf("against a baseline: %+v", w)
	}
}

func TestUnitsThatDiffer(t *testing.T) {
	now := single("cni", around(15, 6)...).analyze(t, "host", "cni")
	before := single("cni", around(15, 6)...).analyze(t, "host", "cni")
	before.Cells[0].Metrics[0].Unit = "Mbit/s"
	res := mustDecide(t, Request{Now: now, Baseline: &before})
	if c := res.Checks[0]; c.Outcome != stats.Undecided || c.P != nil || !strings.Contains(c.Reason, `"Mbit/s"`) {
		t.Errorf("%+v", c)
	}
}

// Trials that gave nothing are never a pass.
func TestLosses(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoilt map[string][]result.Trial
		want   stats.Outcome
		says   string
	}{
		{"one failed", map[string][]result.Trial{"cni": spoilt(1, result.Failed, "no route")}, stats.Undecided, "would pass, but 1 of 10 trials failed: no route"},
		{"all failed", map[string][]result.Trial{"cni": spoilt(10, result.Failed, "no route")}, stats.Undecided, "no trial gave a result (10 failed): no route"},
		{"all unsupported", map[string][]result.Trial{"cni": spoilt(10, result.Unsupported, "no IPv6")}, stats.Undecided, "no IPv6"},
		{"base failed", map[string][]result.Trial{"host": spoilt(10, result.Failed, "no route")}, stats.Undecided, "the base has no values"},
		{"base failed once", map[string][]result.Trial{"host": spoilt(1, result.Failed, "no route")}, stats.Pass, "9 pairs"},
		{"some invalid", map[string][]result.Trial{"cni": spoilt(2, result.Invalid, "steal"), "host": spoilt(2, result.Invalid, "steal")}, stats.Pass, "8 pairs"},
		{"most invalid", map[string][]result.Trial{"cni": spoilt(6, result.Invalid, "steal"), "host": spoilt(6, result.Invalid, "steal")}, Unfit, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := single("cni", around(20.3, 10)...)
			m.spoilt = c.spoilt
			res := mustDecide(t, Request{Now: m.analyze(t, "host", "cni")})
			if res.Outcome != c.want {
				t.Errorf("%s, want %s", res.Outcome, c.want)
			}
			if got := res.Checks[0].Explain("host"); !strings.Contains(got, c.says) {
				t.Errorf("%q does not say %q", got, c.says)
			}
		})
	}
}

func TestMetricsAndMargins(t *testing.T) {
	m := single("cni", around(20.3, 8)...)
	m.values["host"][memory] = times(1<<20, around(100, 8))
	m.values["cni"][memory] = times(1<<20, around(150, 8))
	now := m.analyze(t, "host", "cni")
	for _, c := range []struct {
		metrics, margins []string
		want             string // outcomes, or the problem
	}{
		{nil, nil, "pass"},
		{[]string{"tcp-pod-single/memory"}, nil, "regression"},
		{[]string{"tcp-pod-single/memory"}, []string{"memory=100MiB"}, "pass"},
		{[]string{"tcp-pod-single/memory"}, []string{"tcp-pod-single/memory=100MiB", "memory=1MiB"}, "pass"},
		{[]string{"tcp-pod-single/memory", "tcp-pod-single/throughput"}, []string{"3%"}, "regression pass"},
		{[]string{"tcp-pod-single/memory"}, []string{"memory=3%"}, `--margin memory=3%: the unit "%" is none of the metric's, which are GiB, MiB, KiB, bytes, TiB, B, kB, MB, GB`},
		{[]string{"tcp-pod-single/memory"}, []string{"3%"}, "--margin 3%: nothing that has to pass has such a margin"},
		{nil, []string{"throughput=1Gbit/s"}, "--margin throughput=1Gbit/s: the metric is compared as a ratio, and its margin is a percentage"},
		{nil, []string{"memory=1MiB"}, "--margin memory=1MiB: nothing that has to pass has such a margin"},
		{[]string{"tcp-pod-single/bandwidth"}, nil, `--metric: the cell tcp-pod-single has no metric "bandwidth"`},
		{[]string{"throughput"}, nil, `--metric: "throughput" is no CELL/METRIC of the campaign`},
	} {
		r := Request{Now: now, Metrics: c.metrics}
		for _, text := range c.margins {
			r.Margins = append(r.Margins, mustMargin(t, text))
		}
		res, err := Decide(r)
		got := ""
		if err != nil {
			got = err.Error()
		}
		for _, check := range res.Checks {
			got = strings.TrimSpace(got + " " + string(check.Outcome))
		}
		if got != c.want {
			t.Errorf("%v %v: %s, want %s", c.metrics, c.margins, got, c.want)
		}
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	now := single("cni", around(20.3, 8)...).analyze(t, "host", "cni")
	alone := single("cni", around(20.3, 8)...).analyze(t, "host")
	for name, c := range map[string]struct {
		r    Request
		want string
	}{
		"base":    {Request{Now: now, Base: "hots"}, `the campaign has no variant "hots"`},
		"variant": {Request{Now: now, Variants: []string{"cn\x1bi"}}, `the campaign has no variant "cn\x1bi"`},
		"itself":  {Request{Now: now, Variants: []string{"host"}}, "host is the base"},
		"nothing": {Request{Now: alone}, "nothing is to pass"},
	} {
		if _, err := Decide(c.r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	// A baseline or a limit makes sense of a single variant.
	if res := mustDecide(t, Request{Now: alone, Baseline: &alone}); res.Outcome != stats.Pass {
		t.Errorf("alone: %v", outcomes(res))
	}
	if res := mustDecide(t, Request{Now: now, Base: "cni"}); len(res.Checks) != 1 || res.Checks[0].Variant != "host" {
		t.Errorf("with cni as the base: %v", outcomes(res))
	}
}

// What does not pass at a margin passes at no smaller one, and nothing passes
// and regresses at once, whatever the figures.
func TestMarginsAreMonotonic(t *testing.T) {
	rank := map[stats.Outcome]int{stats.Regression: 0, stats.Undecided: 1, stats.Pass: 2}
	rapid.Check(t, func(t *rapid.T) {
		gbits := rapid.SliceOfN(rapid.Float64Range(1, 40), 1, 9).Draw(t, "gbits")
		small := rapid.Float64Range(0, 0.9).Draw(t, "margin")
		more := rapid.Float64Range(0, 0.9).Draw(t, "more")
		p, trials := single("cni", gbits...).campaign([]string{"host", "cni"})
		now, err := analysis.Analyze(p, trials, result.Environment{})
		if err != nil {
			t.Fatal(err)
		}
		at := func(margin float64) stats.Outcome {
			res, err := Decide(Request{Now: now, Margins: []Margin{{Quantity: Quantity{100 * margin, "%"}}}})
			if err != nil {
				t.Fatal(err)
			}
			return res.Outcome
		}
		if a, b := at(small), at(small+more); rank[a] > rank[b] {
			t.Errorf("%s at %v and %s at %v", a, small, b, small+more)
		}
	})
}

// Memory differs between two installations of the same: a campaign with one of
// each can only tell what is more than that.
func TestMemoryOfOneInstallation(t *testing.T) {
	const mib = 1 << 20
	for _, test := range []struct {
		more float64 // MiB above the base's 637; the margin is 10
		once bool
		want stats.Outcome
	}{
		{20, true, stats.Pass},
		{20, false, stats.Regression},
		{80, true, stats.Regression},
	} {
		now := made{blocks: 10, once: test.once, values: map[string]map[result.Metric][]float64{
			"host": {memory: around(637*mib, 10)}, "cni": {memory: around((637+test.more)*mib, 10)},
		}}
		res := mustDecide(t, Request{Now: now.analyze(t, "host", "cni"), Metrics: []string{"tcp-pod-single/memory"}})
		if got := res.Checks[0]; got.Outcome != test.want {
			t.Errorf("%v MiB more, one installation %v: %s, want %s (%s)", test.more, test.once, got.Outcome, test.want, got.Explain("host"))
		}
	}
}
