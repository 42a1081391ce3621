//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// TestDashboardsPageOnLab types what the page on dashboards tells a reader to
// type, which measures a small campaign and exports it. Then it wants real
// servers to give the report's numbers and to answer every dashboard.
func TestDashboardsPageOnLab(t *testing.T) {
	dir := t.TempDir()
	runPageIn(t, "docs/dashboards.md", dir)
	results := filepath.Join(dir, "results", "two")
	wantOK(t, results, journal(t, results))
	checkExport(t, results)
}

// checkExport holds the export of a results directory, series included,
// against its report.
func checkExport(t *testing.T, results string) {
	file := filepath.Join(t.TempDir(), "results.om")
	mustRun(t, "export", results, "--series", "--out", file)
	var report analysis.Analysis
	if err := json.Unmarshal([]byte(mustRun(t, "report", results, "--format", "json").stdout), &report); err != nil {
		t.Fatal(err)
	}
	trials := journal(t, results)
	shown := span{trials[0].Start.Add(-time.Minute), trials[len(trials)-1].End.Add(time.Minute)}
	vm := victoriaMetrics(t)
	vm.load(file)
	for _, s := range []*server{vm, prometheus(t, file)} {
		t.Run(s.name+" has the report's numbers", func(t *testing.T) {
			s := &server{t: t, name: s.name, url: s.url}
			wantNumbers(s, report, shown)
			wantTrials(s, trials, shown)
			wantSeries(s, results, trials, shown)
		})
	}
	t.Run("dashboards", func(t *testing.T) {
		wantDashboards(t, vm, shown, map[string]string{"metric": report.Cells[0].Metrics[0].Name})
	})
	t.Run("make dashboards", func(t *testing.T) {
		m := report.Cells[0].Metrics[0]
		expression := fmt.Sprintf(`last_over_time(cnibench_summary_median{cell=%q,metric=%q,variant=%q}[10y])`, report.Cells[0].ID, m.Name, m.Arms[0].Variant)
		wantMakeDashboards(t, results, expression, m.Arms[0].Summary.Median)
	})
}

// near allows for what VictoriaMetrics makes of a number: it keeps twelve or
// thirteen decimal digits of most. Prometheus keeps all.
func (s *server) near(a, b float64) bool {
	if s.name == "prometheus" {
		return a == b
	}
	return math.Abs(a-b) <= 1e-11*math.Max(math.Abs(a), math.Abs(b))
}

// wantNumbers compares every number of the report that is about several
// trials with the server's.
func wantNumbers(s *server, report analysis.Analysis, shown span) {
	s.t.Helper()
	compared := 0
	want := func(value *float64, name, format string, labels ...any) {
		s.t.Helper()
		selector := name + "{" + fmt.Sprintf(format, labels...) + "}"
		expression := fmt.Sprintf("last_over_time(%s[%ds])", selector, int(shown.to.Sub(shown.from).Seconds()))
		if value == nil {
			if answer := s.query(expression, shown.to); len(answer) > 0 {
				s.t.Errorf("%s is %v in %s, the report has none", selector, answer[0].values, s.name)
			}
			return
		}
		compared++
		if got := s.value(expression, shown.to); !s.near(got, *value) {
			s.t.Errorf("%s is %v in %s, %v in the report", selector, got, s.name, *value)
		}
	}
	for _, c := range report.Cells {
		for _, m := range c.Metrics {
			for _, a := range m.Arms {
				if a.Summary == nil {
					continue
				}
				of := []any{c.ID, m.Name, a.Variant}
				const labels = "cell=%q,metric=%q,variant=%q"
				low, high := bounds(a.Summary.Interval)
				want(&a.Summary.Median, "cnibench_summary_median", labels, of...)
				want(low, "cnibench_summary_median_low", labels, of...)
				want(high, "cnibench_summary_median_high", labels, of...)
				want(&a.Summary.Mean, "cnibench_summary_mean", labels, of...)
				want(a.Summary.SD, "cnibench_summary_deviation", labels, of...)
			}
			for _, comparison := range m.Comparisons {
				of := []any{c.ID, m.Name, comparison.A, comparison.B}
				const labels = "cell=%q,metric=%q,a=%q,b=%q"
				one := 1.0
				want(&one, "cnibench_comparison_verdict_info", labels+",verdict=%q", append(of, comparison.Verdict)...)
				if comparison.Effect == nil {
					continue
				}
				low, high := bounds(comparison.Effect.Interval)
				want(&comparison.Effect.Estimate, "cnibench_comparison_effect", labels, of...)
				want(low, "cnibench_comparison_effect_low", labels, of...)
				want(high, "cnibench_comparison_effect_high", labels, of...)
			}
		}
	}
	if compared < 20 {
		s.t.Errorf("only %d numbers were compared", compared)
	}
}

func bounds(i *analysis.Interval) (low, high *float64) {
	if i == nil {
		return nil, nil
	}
	return &i.Low, &i.High
}

// wantTrials wants every value of every trial at its time.
func wantTrials(s *server, trials []result.Trial, shown span) {
	s.t.Helper()
	for _, trial := range trials {
		for _, v := range trial.Values {
			selector := fmt.Sprintf(`cnibench_trial_value{cell=%q,variant=%q,block="%d",attempt="%d",metric=%q,unit=%q,status="ok"}`,
				trial.Cell, trial.Variant, trial.Block, trial.Attempt, v.Name, v.Unit)
			at := trial.Window.End
			if got := s.value(fmt.Sprintf("last_over_time(%s[1s])", selector), at.Add(time.Millisecond)); !s.near(got, v.Value) {
				s.t.Errorf("%s is %v in %s, %v in the journal", selector, got, s.name, v.Value)
			}
			if early := s.query(fmt.Sprintf("last_over_time(%s[10m])", selector), at.Add(-time.Second)); len(early) > 0 {
				s.t.Errorf("%s is there a second before its time", selector)
			}
		}
	}
	if got := s.value(fmt.Sprintf("sum(last_over_time(cnibench_trials[%ds]))", int(shown.to.Sub(shown.from).Seconds())), shown.to); got != float64(len(trials)) {
		s.t.Errorf("%s counts %v trials, the journal has %d", s.name, got, len(trials))
	}
}

// wantSeries wants as many samples of one counter as the evidence of the
// trials has.
func wantSeries(s *server, results string, trials []result.Trial, shown span) {
	s.t.Helper()
	d, err := result.Open(results)
	if err != nil {
		s.t.Fatal(err)
	}
	want := 0
	for _, trial := range trials {
		names, err := d.MetricsNames(trial, "probe-")
		if err != nil || len(names) == 0 {
			s.t.Fatalf("%s has no series of a probe: %v", trial.Raw, err)
		}
		for _, name := range names {
			families, err := d.Metrics(trial, name)
			if err != nil {
				s.t.Fatal(err)
			}
			for _, f := range families {
				if f.Name == "cnibench_context_switches" {
					want += len(f.Series[0].Points)
				}
			}
		}
	}
	expression := fmt.Sprintf("sum(count_over_time(cnibench_context_switches_total[%ds]))", int(shown.to.Sub(shown.from).Seconds()))
	if got := s.value(expression, shown.to); got != float64(want) {
		s.t.Errorf("%s has %v samples of a counter, the evidence %d", s.name, got, want)
	}
}
