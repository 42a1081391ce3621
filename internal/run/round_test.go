package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// line is one attempt of a journal in few words: "a1 ok", "a1 spoilt" (ok on a
// machine that others used), "a1 failed", "a1 invalid" and so on, or "a1 void",
// which takes back the attempt before. a and b are variants, the number is the
// attempt.
func line(t *testing.T, block int, text string) result.Trial {
	t.Helper()
	var attempt int
	variant, what, _ := strings.Cut(text, " ")
	if _, err := fmt.Sscan(variant[1:], &attempt); err != nil {
		t.Fatal(text, err)
	}
	trial := result.Trial{Block: block, Variant: variant[:1], Cell: "idle", Attempt: attempt, Status: result.Status(what), Reason: "because"}
	switch what {
	case "ok", "spoilt":
		trial = measured(trial, what == "spoilt")
	case "void":
		trial.Status, trial.Voids, trial.Reason = result.Invalid, attempt-1, fmt.Sprintf("block %d: somebody worked here", block)
	}
	return trial
}

// measured makes an ok trial of ten seconds.
func measured(t result.Trial, spoilt bool) result.Trial {
	foreign := 0.0
	if spoilt {
		foreign = 0.75
	}
	t.Status, t.Reason = result.OK, ""
	t.Window = &result.Window{Start: epoch, End: epoch.Add(10e9)}
	t.Values = []result.Value{{Metric: result.Metric{Name: "cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio}, Value: 1}}
	t.Conditions = map[string]result.Condition{"node1": {ForeignCPU: &foreign}}
	return t
}

func TestNeedOf(t *testing.T) {
	const foreign = "block 1: programs outside the cluster used 75 % of the CPU time during "
	for _, tt := range []struct {
		name    string
		journal []string
		void    []string
		reason  string
		measure []string
	}{
		{name: "nothing measured"},
		{name: "half measured", journal: []string{"b1 spoilt"}},
		{name: "valid", journal: []string{"b1 ok", "a1 ok"}},
		{name: "all failed", journal: []string{"b1 failed", "a1 failed"}},
		{name: "nothing that it could measure", journal: []string{"b1 unsupported", "a1 unsupported"}},
		{name: "invalid", journal: []string{"b1 spoilt", "a1 ok"}, void: []string{"b1", "a1"}, reason: foreign + "b, more than 50 %"},
		{name: "failed trials are repeated, too", journal: []string{"b1 spoilt", "a1 failed"}, void: []string{"b1", "a1"}, reason: foreign + "b, more than 50 %"},
		{name: "unsupported is settled", journal: []string{"b1 spoilt", "a1 unsupported"}, void: []string{"b1"}, reason: foreign + "b, more than 50 %"},
		{name: "the run ended while it took them back", journal: []string{"b1 spoilt", "a1 spoilt", "b2 void"}, void: []string{"a1"}, reason: "block 1: somebody worked here"},
		{name: "to be repeated", journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void"}, measure: []string{"b", "a"}},
		{name: "half repeated", journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok"}, measure: []string{"a"}},
		{name: "valid now", journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok", "a3 ok"}},
		{
			name: "invalid again", journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok", "a3 spoilt"},
			void: []string{"b3", "a3"}, reason: foreign + "a, more than 50 %",
		},
		{
			name:    "the run ended while it took them back again",
			journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok", "a3 spoilt", "b4 void"},
			void:    []string{"a3"}, reason: "block 1: somebody worked here",
		},
		{name: "stays invalid", journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok", "a3 spoilt", "b4 void", "a4 void"}},
		{
			name:    "a third round that somebody asked for is finished",
			journal: []string{"b1 spoilt", "a1 ok", "b2 void", "a2 void", "b3 ok", "a3 spoilt", "b4 void", "a4 void", "b5 ok"},
			measure: []string{"a"},
		},
		// Another trial's invalidity is its own and was repeated by itself.
		{name: "an invalid trial", journal: []string{"b1 ok", "a1 invalid", "a2 invalid"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var planned []plan.Trial
			for _, v := range []string{"b", "a"} {
				planned = append(planned, plan.Trial{Block: 1, Variant: plan.Variant{Name: v}, Cell: plan.Cell{ID: "idle"}})
			}
			var journal []result.Trial
			for _, text := range tt.journal {
				journal = append(journal, line(t, 1, text))
			}
			got := needOf(planned, journal, exampleRules)
			var void, measure []string
			for _, v := range got.void {
				void = append(void, fmt.Sprintf("%s%d", v.Variant, v.Attempt))
			}
			for _, p := range got.measure {
				measure = append(measure, p.Variant.Name)
			}
			if diff := cmp.Diff([]any{tt.void, tt.reason, tt.measure}, []any{void, got.reason, measure}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
