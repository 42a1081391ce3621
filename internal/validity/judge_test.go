package validity

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// trial is an ok trial of so many seconds.
func trial(variant string, seconds float64, machines map[string]result.Condition) result.Trial {
	w := result.Window{Start: epoch, End: epoch.Add(time.Duration(seconds * float64(time.Second)))}
	return result.Trial{Block: 3, Variant: variant, Status: result.OK, Window: &w, Conditions: machines}
}

func on(steal, foreign, clock float64) map[string]result.Condition {
	return map[string]result.Condition{"m": {Steal: steal, ForeignCPU: &foreign, ClockStep: clock}}
}

func TestJudge(t *testing.T) {
	rules := plan.Validity{Steal: 0.10, ForeignCPU: 0.20, ClockStep: true}
	two := func(a, b result.Condition) map[string]result.Condition {
		return map[string]result.Condition{"client": a, "server": b}
	}
	for _, tt := range []struct {
		name   string
		rules  plan.Validity
		trials []result.Trial
		want   string
	}{
		{"nothing", rules, nil, ""},
		{"nobody watched", rules, []result.Trial{trial("a", 10, nil)}, ""},
		{"calm", rules, []result.Trial{trial("a", 10, on(0.05, 0.1, 0)), trial("b", 10, on(0.1, 0.2, 0))}, ""},
		{
			"stolen", rules, []result.Trial{trial("a", 10, on(0.31, 0, 0)), trial("b", 10, on(0, 0, 0))},
			"31 % of the CPU time was stolen during a, more than 10 %",
		},
		// One short trial of a long turn is not the turn.
		{"a moment", rules, []result.Trial{trial("a", 1, on(0.9, 0, 0)), trial("a", 29, on(0.01, 0, 0))}, ""},
		{
			"the long trial of a turn", rules, []result.Trial{trial("a", 1, on(0, 0, 0)), trial("a", 29, on(0.3, 0, 0))},
			"29 % of the CPU time was stolen during a, more than 10 %",
		},
		{
			"the worst turn first", rules,
			[]result.Trial{trial("a", 10, on(0.2, 0, 0)), trial("b", 10, on(0.3, 0, 0)), trial("c", 10, on(0.11, 0, 0))},
			"30 % of the CPU time was stolen during b, more than 10 % (and during a, c)",
		},
		{
			"many turns", rules,
			[]result.Trial{
				trial("a", 10, on(0.2, 0, 0)), trial("b", 10, on(0.3, 0, 0)), trial("c", 10, on(0.2, 0, 0)),
				trial("d", 10, on(0.2, 0, 0)), trial("e", 10, on(0.2, 0, 0)),
			},
			"30 % of the CPU time was stolen during b, more than 10 % (and during 4 others)",
		},
		{
			"one machine of two", rules,
			[]result.Trial{trial("a", 10, two(result.Condition{}, result.Condition{Steal: 0.5}))},
			"50 % of server's CPU time was stolen during a, more than 10 %",
		},
		{
			"others' programs", rules, []result.Trial{trial("a", 10, on(0, 0.625, 0))},
			"programs outside the cluster used 62 % of the CPU time during a, more than 20 %",
		},
		{
			"the clock of one machine", rules,
			[]result.Trial{trial("a", 10, two(result.Condition{ClockStep: 1.5}, result.Condition{}))},
			"the clock of client was set by 1.5s during a",
		},
		// ntpd moves a clock by up to 0.05 %.
		{"a clock that is slewed", rules, []result.Trial{trial("a", 100, on(0, 0, 0.05))}, ""},
		{
			"everything", rules, []result.Trial{trial("a", 10, on(0.5, 0.4, 2))},
			"50 % of the CPU time was stolen during a, more than 10 %; programs outside the cluster used 40 % of the CPU time during a, more than 20 %; the clock was set by 2s during a",
		},
		{"no rules", plan.Validity{}, []result.Trial{trial("a", 10, on(1, 1, 60))}, ""},
		{
			"a small limit", plan.Validity{Steal: 0.001}, []result.Trial{trial("a", 10, on(0.0155, 1, 60))},
			"1.55 % of the CPU time was stolen during a, more than 0.1 %",
		},
		{"the defaults let a noisy machine be", Default(), []result.Trial{trial("a", 10, on(0.15, 0.3, 0.001))}, ""},
		{
			"the defaults find a machine that somebody else uses", Default(), []result.Trial{trial("a", 10, on(0, 0.9, 0))},
			"programs outside the cluster used 90 % of the CPU time during a, more than 50 %",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Judge(tt.rules, tt.trials); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// An attempt that gave no result spoils nothing, and a trial without a window
// or with figures of nothing breaks no rule that needs time.
func TestJudgeWithoutFigures(t *testing.T) {
	failed := trial("a", 10, on(1, 1, 9))
	failed.Status = result.Failed
	timeless := trial("a", 0, on(1, 1, 0))
	timeless.Window = nil
	unknown := trial("a", 10, map[string]result.Condition{"m": {Steal: math.NaN()}})
	for name, bad := range map[string]result.Trial{"failed": failed, "without a window": timeless, "not a number": unknown} {
		if got := Judge(Default(), []result.Trial{bad}); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Values are not looked at: whatever was measured, the judgement is the same.
func TestJudgeDoesNotSeeResults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var trials []result.Trial
		for i := range rapid.IntRange(1, 6).Draw(rt, "trials") {
			share := rapid.Float64Range(0, 1)
			trials = append(trials, trial(fmt.Sprint("v", i%3), rapid.Float64Range(0.1, 60).Draw(rt, "seconds"),
				on(share.Draw(rt, "steal"), share.Draw(rt, "foreign"), 0)))
		}
		before := Judge(Default(), trials)
		for i := range trials {
			m := result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio}
			trials[i].Values = []result.Value{{Metric: m, Value: rapid.Float64Range(1, 1e11).Draw(rt, "value")}}
		}
		if after := Judge(Default(), trials); after != before {
			rt.Fatalf("%q, with other results %q", before, after)
		}
	})
}

func TestRules(t *testing.T) {
	if got := Rules(plan.Plan{}); got != Default() {
		t.Errorf("a plan without rules has %+v", got)
	}
	if got := Rules(plan.Plan{Validity: &plan.Validity{}}); got != (plan.Validity{}) {
		t.Errorf("a plan whose rules are off has %+v", got)
	}
}
