package export_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/export"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

func TestOpenMetrics(t *testing.T) {
	_, s := madeUp(t, 4)
	got, _, _ := exported(t, s, export.Options{Series: true})
	golden := filepath.Join("testdata", "made-up.txt")
	if *update {
		writeFile(t, golden, []byte(got))
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if again, _, _ := exported(t, s, export.Options{Series: true}); again != got {
		t.Error("the same directory gives other bytes the second time")
	}
}

// find returns the value of the one series with the labels.
func find(t testing.TB, f openmetrics.Family, labels ...string) float64 {
	t.Helper()
	var found []openmetrics.Series
	for _, s := range f.Series {
		match := true
		for i := 0; i < len(labels); i += 2 {
			match = match && s.Labels[labels[i]] == labels[i+1]
		}
		if match {
			found = append(found, s)
		}
	}
	if len(found) != 1 || len(found[0].Points) != 1 {
		t.Fatalf("%s with %q: %d series, want one with one point", f.Name, labels, len(found))
	}
	return found[0].Points[0].Value
}

// What dashboards show is what the report says.
func TestNumbersAreTheAnalysis(t *testing.T) {
	_, s := madeUp(t, 9)
	_, families, _ := exported(t, s, export.Options{})
	seen := 0
	for _, c := range s.Analysis.Cells {
		for _, m := range c.Metrics {
			for _, a := range m.Arms {
				seen++
				of := []string{"cell", c.ID, "metric", m.Name, "variant", a.Variant, "unit", m.Unit}
				for name, want := range map[string]float64{
					"cnibench_summary_median": a.Summary.Median, "cnibench_summary_mean": a.Summary.Mean, "cnibench_summary_deviation": *a.Summary.SD,
					"cnibench_summary_median_low": a.Summary.Interval.Low, "cnibench_summary_median_high": a.Summary.Interval.High,
					"cnibench_summary_samples": float64(len(a.Samples)),
				} {
					if got := find(t, families[name], of...); got != want {
						t.Errorf("%s of %s is %v, want %v", name, a.Variant, got, want)
					}
				}
				for _, sample := range a.Samples {
					at := append(of, "block", itoa(sample.Block), "attempt", itoa(sample.Attempt), "status", "ok")
					if got := find(t, families["cnibench_trial_value"], at...); got != sample.Value {
						t.Errorf("block %d of %s is %v, want %v", sample.Block, a.Variant, got, sample.Value)
					}
				}
			}
			for _, c := range m.Comparisons {
				of := []string{"metric", m.Name, "a", c.A, "b", c.B, "kind", "primary"}
				for name, want := range map[string]float64{
					"cnibench_comparison_effect": c.Effect.Estimate, "cnibench_comparison_effect_low": c.Effect.Interval.Low,
					"cnibench_comparison_effect_high": c.Effect.Interval.High, "cnibench_comparison_pairs": float64(len(c.Pairs)),
					"cnibench_comparison_margin_low": c.Band.Low,
				} {
					if got := find(t, families[name], of...); got != want {
						t.Errorf("%s is %v, want %v", name, got, want)
					}
				}
				find(t, families["cnibench_comparison_verdict_info"], append(of, "verdict", string(c.Verdict))...)
			}
		}
	}
	if seen != 2 {
		t.Errorf("the analysis has %d arms, want 2", seen)
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

// A failed, invalid or missing trial is there with its reason and has no value
// that anybody could take for a result.
func TestNothingBecomesZero(t *testing.T) {
	_, s := madeUp(t, 4)
	_, families, _ := exported(t, s, export.Options{})
	find(t, families["cnibench_trial_status_info"], "block", "2", "variant", "ours", "status", "failed", "reason", "the server \"pod\" did not start:\nno image")
	find(t, families["cnibench_trial_status_info"], "block", "3", "variant", "host", "attempt", "1", "status", "invalid", "replaced", "true")
	find(t, families["cnibench_trial_missing_info"], "block", "4", "variant", "ours")
	find(t, families["cnibench_trial_unused_value"], "block", "3", "variant", "host", "attempt", "1", "status", "invalid")
	for _, series := range families["cnibench_trial_value"].Series {
		l := series.Labels
		if l["status"] != "ok" || l["block"] == "2" && l["variant"] == "ours" || l["block"] == "3" && l["variant"] == "host" && l["attempt"] != "2" {
			t.Errorf("a value that does not count is among those that do: %v", l)
		}
		if series.Points[0].Value == 0 {
			t.Errorf("%v is 0", l)
		}
	}
	// Too few blocks for an interval: no number stands in for it.
	if f, ok := families["cnibench_comparison_effect_low"]; ok {
		t.Errorf("two pairs have an interval: %v", f)
	}
	for status, want := range map[string]float64{"ok": 2, "failed": 1, "missing": 1, "invalid": 0} {
		if got := find(t, families["cnibench_trials"], "variant", "ours", "status", status); got != want {
			t.Errorf("%v trials are %s, want %v", got, status, want)
		}
	}
}

func TestSeries(t *testing.T) {
	_, s := madeUp(t, 4)
	_, families, outcome := exported(t, s, export.Options{Series: true})
	if outcome.Files != 4 || len(outcome.Damaged) != 0 || outcome.Attempts != len(s.Trials) {
		t.Errorf("outcome %+v", outcome)
	}
	// Of the ok trials only those of block 1 have evidence.
	if want := 4; len(outcome.Bare) != want {
		t.Errorf("%d trials without series, want %d", len(outcome.Bare), want)
	}
	cpu := families["cnibench_cpu_seconds"]
	if cpu.Type != openmetrics.Counter || cpu.Unit != "seconds" || len(cpu.Series) != 8 {
		t.Fatalf("%+v", cpu)
	}
	for _, series := range cpu.Series {
		l := series.Labels
		if l["campaign"] != s.Analysis.Plan.Name || l["block"] != "1" || l["evidence"] != "probe-"+l["node"] || len(series.Points) != 3 {
			t.Errorf("%v with %d points", l, len(series.Points))
		}
	}
	if _, there := exportedWithoutSeries(t, s)["cnibench_cpu_seconds"]; there {
		t.Error("series that nobody asked for")
	}
}

func exportedWithoutSeries(t *testing.T, s export.Source) map[string]openmetrics.Family {
	t.Helper()
	_, families, _ := exported(t, s, export.Options{})
	return families
}

// A damaged file is named with its line, in the outcome and in the text; the
// others are exported.
func TestDamagedEvidence(t *testing.T) {
	damages := map[string]struct{ text, want string }{
		"cut short":          {"# HELP a b\n# TYPE a gauge\na 1 2\n", "no # EOF"},
		"not OpenMetrics":    {"hello\n# EOF\n", "line 1"},
		"a label of ours":    {"# HELP a b\n# TYPE a gauge\na{variant=\"x\"} 1 2\n# EOF\n", `label "variant"`},
		"a name of ours":     {"# HELP cnibench_trial_value b\n# TYPE cnibench_trial_value gauge\ncnibench_trial_value 1 2\n# EOF\n", "export's own"},
		"a unit that clash":  {"# HELP cnibench_cpu_seconds b\n# TYPE cnibench_cpu_seconds gauge\n# UNIT cnibench_cpu_seconds seconds\ncnibench_cpu_seconds 1 2\n# EOF\n", "cnibench_cpu_seconds is a gauge"},
		"not even zstandard": {"", "probe-node2.om.zst"},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir, s := madeUp(t, 4)
			data := compressed(t, []byte(damage.text))
			if damage.text == "" {
				data = []byte("plain text")
			}
			writeFile(t, filepath.Join(dir, s.Trials[1].Raw, "probe-node2.om.zst"), data)
			_, families, outcome := exported(t, s, export.Options{Series: true})
			if len(outcome.Damaged) != 1 || outcome.Files != 3 || len(families["cnibench_cpu_seconds"].Series) != 6 {
				t.Fatalf("outcome %+v with %d series", outcome, len(families["cnibench_cpu_seconds"].Series))
			}
			said := outcome.Damaged[0].Err.Error()
			if !strings.Contains(said, damage.want) || !strings.Contains(said, s.Trials[1].Raw) {
				t.Errorf("the error %q does not name %q and the file", said, damage.want)
			}
			info := families["cnibench_trial_damaged_evidence_info"]
			find(t, info, "variant", s.Trials[1].Variant, "block", "1", "evidence", "probe-node2")
			if reason := info.Series[0].Labels["reason"]; reason == "" || strings.Contains(reason, dir) {
				t.Errorf("the reason is %q, which depends on where the directory lies", reason)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	_, s := madeUp(t, 4)
	only, err := export.Select(s.Analysis.Plan, []string{"ours"})
	if err != nil {
		t.Fatal(err)
	}
	_, families, outcome := exported(t, s, export.Options{Only: only, Series: true})
	if outcome.Attempts != 3 || outcome.Files != 2 {
		t.Errorf("outcome %+v", outcome)
	}
	for name, f := range families {
		for _, series := range f.Series {
			if v := series.Labels["variant"]; v != "" && v != "ours" {
				t.Errorf("%s has the variant %s", name, v)
			}
		}
	}
	find(t, families["cnibench_comparison_pairs"], "a", "host", "b", "ours", "metric", "throughput")
	for _, name := range []string{"tcp-pod-multi", "tcp-pod-multi.streams=2"} {
		all, err := export.Select(s.Analysis.Plan, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, outcome := exported(t, s, export.Options{Only: all}); outcome.Attempts != len(s.Trials) {
			t.Errorf("--only %s selects %d attempts", name, outcome.Attempts)
		}
	}
	if _, err := export.Select(s.Analysis.Plan, []string{"their"}); err == nil || !strings.Contains(err.Error(), "host, ours, tcp-pod-multi.streams=2") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	_, s := madeUp(t, 4)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	scratch := t.TempDir()
	if _, err := export.OpenMetrics(ctx, &bytes.Buffer{}, s, export.Options{Series: true, Scratch: scratch}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("the scratch directory holds %v, %v", left, err)
	}
}

// full is a disk that takes some bytes.
type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	_, s := madeUp(t, 4)
	for _, room := range []int{0, 5000} {
		if _, err := export.OpenMetrics(context.Background(), &full{room}, s, export.Options{Series: true, Scratch: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// Whatever became of the trials, every attempt is in the text once, as text
// that a strict reader takes, and with as many values as it has.
func TestEveryAttemptIsThere(t *testing.T) {
	dir, s := madeUp(t, 4)
	rapid.Check(t, func(rt *rapid.T) {
		s := s
		s.Trials = slices.Clone(s.Trials)
		values := 0
		for i, trial := range s.Trials {
			if rapid.Bool().Draw(rt, "failed") {
				trial.Status, trial.Reason = result.Failed, rapid.StringMatching(`[a-z"\\\n]{1,9}`).Draw(rt, "reason")
				trial.Values, trial.Window = nil, nil
			}
			values += len(trial.Values)
			s.Trials[i] = trial
		}
		var out bytes.Buffer
		if _, err := export.OpenMetrics(context.Background(), &out, s, export.Options{Scratch: filepath.Dir(dir)}); err != nil {
			rt.Fatal(err)
		}
		list, err := openmetrics.Read(&out)
		if err != nil {
			rt.Fatal(err)
		}
		count := map[string]int{}
		for _, f := range list {
			count[f.Name] = len(f.Series)
		}
		got := count["cnibench_trial_value"] + count["cnibench_trial_unused_value"]
		if count["cnibench_trial_status_info"] != len(s.Trials) || got != values {
			rt.Fatalf("%d attempts with %d values, want %d and %d", count["cnibench_trial_status_info"], got, len(s.Trials), values)
		}
	})
}

// Evidence is whatever lies there: it is exported or named as damaged, and
// what comes out can be read.
func FuzzEvidence(f *testing.F) {
	f.Add([]byte("# HELP a b\n# TYPE a gauge\na 1 2\n# EOF\n"))
	f.Add([]byte("# HELP cnibench_cpu_seconds b\n# TYPE cnibench_cpu_seconds counter\ncnibench_cpu_seconds_total{mode=\"x\"} 1 2\n# EOF\n"))
	f.Add([]byte("# HELP cnibench_trial_value b\n# TYPE cnibench_trial_value gauge\ncnibench_trial_value 1 2\n# EOF\n"))
	dir, s := madeUp(f, 4)
	f.Fuzz(func(t *testing.T, text []byte) {
		writeFile(t, filepath.Join(dir, s.Trials[0].Raw, "probe-node1.om.zst"), compressed(t, text))
		_, families, outcome := exported(t, s, export.Options{Series: true})
		if outcome.Files+len(outcome.Damaged) != 4 {
			t.Errorf("%d files and %d damaged ones of 4", outcome.Files, len(outcome.Damaged))
		}
		if len(families["cnibench_trial_damaged_evidence_info"].Series) != len(outcome.Damaged) {
			t.Errorf("the text names other damages: %v", slices.Collect(maps.Keys(families)))
		}
	})
}

// The page on dashboards explains every metric of the export's own, and none
// that it has not.
func TestPageNamesEveryMetric(t *testing.T) {
	page, err := os.ReadFile("../../docs/dashboards.md")
	if err != nil {
		t.Fatal(err)
	}
	begin := bytes.Index(page, []byte("## What is in it"))
	end := bytes.Index(page, []byte("## Queries"))
	if begin < 0 || end < begin {
		t.Fatal("the page has no list of metrics")
	}
	got := map[string]bool{}
	for _, name := range regexp.MustCompile("`(cnibench_[a-z_]+)`").FindAllSubmatch(page[begin:end], -1) {
		got[string(name[1])] = true
	}
	want := map[string]bool{}
	for _, blocks := range []int{4, 9} { // intervals need many blocks, further blocks few
		dir, s := madeUp(t, blocks)
		writeFile(t, filepath.Join(dir, s.Trials[0].Raw, "probe-node1.om.zst"), []byte("damaged"))
		_, families, _ := exported(t, s, export.Options{Series: true})
		for name := range families {
			if name != "cnibench_cpu_seconds" && name != "cnibench_memory_bytes" {
				want[name] = true
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metrics (-exported +page):\n%s", diff)
	}
}

// The A/A twin's comparison is exported as what it is, beside the others.
func TestTwinIsExported(t *testing.T) {
	_, s := madeUp(t, 9)
	m := &s.Analysis.Cells[0].Metrics[0]
	twin := m.Comparisons[0]
	twin.A, twin.B, twin.Primary, twin.AgainstBase = twin.B, twin.B+"-aa", false, false
	m.AA = &twin
	_, families, _ := exported(t, s, export.Options{})
	f := families["cnibench_comparison_effect"]
	if got := find(t, f, "a", twin.A, "b", twin.B, "kind", "aa"); got != twin.Effect.Estimate {
		t.Errorf("the twin's effect is %v, want %v", got, twin.Effect.Estimate)
	}
	find(t, f, "kind", "primary", "metric", m.Name)
}
