package analysis

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// imported analyses runs of two variants that share nothing but their number.
func imported(t *testing.T, interleaved bool, host, flannel []float64) Analysis {
	t.Helper()
	p := testPlan(max(len(host), len(flannel)), "host", "flannel-vxlan")
	p.Imported = &plan.Imported{Format: "csv", Source: "numbers.csv", Interleaved: interleaved}
	var trials []result.Trial
	for i, x := range host {
		trials = append(trials, trial(p, i+1, "host", gbits(x)))
	}
	for i, x := range flannel {
		trials = append(trials, trial(p, i+1, "flannel-vxlan", gbits(x)))
	}
	a, err := Analyze(p, trials, result.Environment{Topology: "imported", Import: &result.Import{
		Warnings: []result.Warning{{Code: "best-of", Message: "the charts show the best run"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The runs of one number are pairs only where the source says so: here they
// drift together, and pairing would find a difference that is far below what
// independent samples can tell.
func TestImportedRunsAreNoPairs(t *testing.T) {
	host := []float64{10, 12, 14, 16, 18, 20, 22, 24, 26, 28}
	var flannel []float64
	for _, x := range host {
		flannel = append(flannel, 0.9*x)
	}
	paired := imported(t, true, host, flannel).Cells[0].Metrics[0].Comparisons[0]
	if paired.Verdict != stats.Worse || paired.Unpaired != nil || len(paired.Pairs) != 10 {
		t.Errorf("interleaved: %s with %d pairs", paired.Verdict, len(paired.Pairs))
	}
	apart := imported(t, false, host, flannel).Cells[0].Metrics[0].Comparisons[0]
	if apart.Verdict != stats.Inconclusive || apart.Unpaired == nil || apart.Unpaired.A != 10 || apart.Unpaired.B != 10 || len(apart.Pairs) != 0 {
		t.Errorf("not interleaved: %+v", apart)
	}
	if e := apart.Effect; e == nil || e.Estimate > 0 || e.Interval == nil || e.Interval.Low > -0.1 || e.Interval.High < 0 {
		t.Errorf("effect %+v", e)
	}
}

func TestImportedVerdicts(t *testing.T) {
	low, high := []float64{9.8, 9.9, 10, 10.1, 10.2, 10.3}, []float64{20.1, 20.2, 20.3, 20.4, 20.5, 20.6}
	for _, tt := range []struct {
		name          string
		host, flannel []float64
		want          stats.Verdict
		warnings      string
	}{
		{"twice as much", low, high, stats.Better, "imported unpaired best-of trials-dropped"},
		{"half as much", high, low, stats.Worse, "imported unpaired best-of trials-dropped"},
		{"three runs decide nothing", low[:3], high[:3], stats.Inconclusive, "imported unpaired best-of too-few-runs trials-dropped"},
		{"nothing of one", low, nil, stats.Inconclusive, "imported unpaired best-of trials-dropped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := imported(t, false, tt.host, tt.flannel)
			if got := a.Cells[0].Metrics[0].Comparisons[0]; got.Verdict != tt.want {
				t.Errorf("%+v", got)
			}
			for _, w := range a.Warnings {
				if !strings.Contains(tt.warnings, w.Code) {
					t.Errorf("warning %s: %s", w.Code, w.Message)
				}
			}
			for code := range strings.FieldsSeq(tt.warnings) {
				if code != "trials-dropped" && !strings.Contains(fmt.Sprint(a.Warnings), "{"+code+" ") {
					t.Errorf("no warning %s in %v", code, a.Warnings)
				}
			}
		})
	}
}
