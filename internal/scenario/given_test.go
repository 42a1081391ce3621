package scenario

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// machine is a summary with made-up figures: four cores of which 2.5 are busy.
func machine() sample.Summary {
	return sample.Summary{Cores: 4, Busy: 2.5, Power: map[string]float64{"package-0": 20}, Groups: map[string]sample.GroupSummary{
		stage.GroupLoad:    {Cores: 1.5},
		stage.GroupCNI:     {Cores: 0.25, WorkingSet: sample.Gauge{Mean: 30 << 20}},
		stage.GroupCluster: {Cores: 2, WorkingSet: sample.Gauge{Mean: 900 << 20}},
	}}
}

func byName(values []result.Value) map[string]float64 {
	m := map[string]float64{}
	for _, v := range values {
		m[v.Name] = v.Value
	}
	return m
}

func markNames(marks []result.Mark) []string {
	var names []string
	for _, m := range marks {
		names = append(names, m.Name)
	}
	return names
}

// one is a machine that was sampled.
func one(s sample.Summary) stage.Machines {
	return stage.Machines{Summaries: map[string]sample.Summary{"node7": s}}
}

// lacks checks that exactly these metrics are missing, with a reason that says
// some words.
func lacks(t *testing.T, f stage.Figures, names []string, words ...string) {
	t.Helper()
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(f.Missing))); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	for _, name := range names {
		says(t, errors.New(f.Missing[name]), words...)
		if _, has := byName(f.Values)[name]; has {
			t.Errorf("%s has a value all the same", name)
		}
	}
}

func says(t *testing.T, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}

func frame(t *testing.T, kind string, v any) string {
	t.Helper()
	var b strings.Builder
	if err := probe.WriteFrame(&b, kind, v); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func openFake(t *testing.T, run stage.Runner) *stage.Session {
	t.Helper()
	s, err := stage.Open(t.Context(), "probe on node1", run, "sample", map[string]int{"interval": 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// generatorReport is the probe's report on a generator that really ran.
func generatorReport(t *testing.T, generator, name string) probe.LoadReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "load", "testdata", generator, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	report := probe.LoadReport{Processes: make([]probe.ProcessReport, 1)}
	if err := json.Unmarshal(data, &report.Processes[0]); err != nil {
		t.Fatal(err)
	}
	return report
}
