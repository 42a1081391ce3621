package report

import (
	"encoding/json"
	"fmt"
	"path"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
)

// evidenceOf is a results directory with nothing but the evidence of a trial.
func evidenceOf(t *testing.T, trial result.Trial, files map[string]string) *result.Dir {
	t.Helper()
	all := fstest.MapFS{result.PlanFile: {Data: []byte("{}")}, result.JournalFile: {Data: nil}}
	for name, text := range files {
		all[path.Join(trial.Raw, name)] = &fstest.MapFile{Data: []byte(text)}
	}
	d, err := result.OpenFS("made up", all)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// trialOf is an ok trial that has evidence.
func trialOf(scenario string, values ...result.Value) result.Trial {
	k := result.Key{Block: 3, Variant: "host", Cell: scenario}
	return result.Trial{
		Block: k.Block, Variant: k.Variant, Cell: k.Cell, Scenario: scenario, Attempt: 1, Status: result.OK, Raw: result.RawPath(k, 1), Values: values,
	}
}

// Requests without an answer took longer than all others: they move the
// percentiles, and the curve ends before it reaches them.
func TestReadDistributions(t *testing.T) {
	trial := trialOf("tcp-rr", result.Value{Metric: result.Metric{Name: "latency-p50", Unit: "s"}, Value: 1})
	report := func(answered, intended int64) string {
		r := pace.Report{Response: pace.NewDistribution(), Counts: pace.Counts{Intended: intended, Answered: answered}}
		for i := range answered {
			r.Response.Add(time.Duration(i+1) * time.Microsecond)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tests := []struct {
		name  string
		files map[string]string
		last  string // quantile and time of the last percentile, of how many requests
	}{
		{"all answered: ten lie beyond 99 %", map[string]string{"latency.hlog": "", "client.json": report(1000, 1000)}, "0.99 990µs of 1000"},
		{"a tenth never answered", map[string]string{"latency.hlog": "", "client.json": report(900, 1000)}, "0.9 900µs of 1000"},
		{"too few for anything but the median", map[string]string{"latency.hlog": "", "client.json": report(20, 20)}, "0.5 10µs of 20"},
		{"of another generator", map[string]string{"client.json": "{}"}, ""},
		{"a copy without evidence", nil, ""},
	}
	for _, test := range tests {
		all, err := ReadDistributions(evidenceOf(t, trial, test.files), []result.Trial{trial})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := ""
		for _, d := range all {
			last := d.Percentiles[len(d.Percentiles)-1]
			got = fmt.Sprintf("%v %v of %d", last.Quantile, time.Duration(last.Time*1e9).Round(time.Microsecond), d.Requests)
		}
		if got != test.last {
			t.Errorf("%s: got %q, want %q", test.name, got, test.last)
		}
	}
	if _, err := ReadDistributions(evidenceOf(t, trial, map[string]string{"latency.hlog": "", "client.json": "{"}), []result.Trial{trial}); err == nil {
		t.Error("a file that is cut off is read")
	}
}

func TestReadSteps(t *testing.T) {
	trial := trialOf(scenarioOfSteps)
	files := map[string]string{"series.json": `{"steps": [{"streams": 1, "throughput": 2.5e9}, {"streams": 2, "throughput": 4e9}], "link": "x"}`}
	got, err := ReadSteps(evidenceOf(t, trial, files), []result.Trial{trial})
	if err != nil {
		t.Fatal(err)
	}
	want := []Steps{{Cell: scenarioOfSteps, Variant: "host", Block: 3, Steps: []Step{{1, 2.5e9}, {2, 4e9}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, other := range map[string][]result.Trial{"without evidence": {trial}, "of another scenario": {trialOf("tcp-rr")}} {
		if got, err := ReadSteps(evidenceOf(t, trial, nil), other); err != nil || len(got) > 0 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := ReadSteps(evidenceOf(t, trial, map[string]string{"series.json": "["}), []result.Trial{trial}); err == nil {
		t.Error("a file that is cut off is read")
	}
}
