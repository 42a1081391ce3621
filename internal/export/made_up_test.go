package export_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/export"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var began = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// throughput of the made-up trials, whose figures nobody measured.
var throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}

func madeUpPlan(t testing.TB, blocks int) plan.Plan {
	t.Helper()
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: `made "up"`, Seed: 7, FreshCluster: true,
		Cluster:  plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}},
		Variants: []plan.Variant{{Name: "host", Entry: "host"}, {Name: "ours", Entry: "flannel-vxlan", Version: "v0.28.4"}},
		Cells:    []plan.Cell{{ID: "tcp-pod-multi.streams=2", Scenario: "tcp-pod-multi", Parameters: parameter.Values{"streams": "2", "duration": "2s"}}},
		Analysis: plan.Analysis{Base: "host", Primary: []string{"tcp-pod-multi.streams=2/throughput"}},
	}
	for b := range blocks {
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: []string{"host", "ours"}, Cells: []string{p.Cells[0].ID}})
	}
	p, err := plan.Seal(p)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// madeUpTrial is ok, 20 Gbit/s for the host and 15 for the other.
func madeUpTrial(k result.Key, attempt int) result.Trial {
	start := began.Add(time.Duration(k.Block) * time.Minute)
	gbits, position := 20.0, 1
	if k.Variant != "host" {
		start, gbits, position = start.Add(30*time.Second), 15, 2
	}
	start = start.Add(time.Duration(attempt-1) * 10 * time.Second)
	return result.Trial{
		Schema: result.SchemaVersion, Block: k.Block, Position: position, Variant: k.Variant, Cell: k.Cell, Scenario: "tcp-pod-multi",
		Attempt: attempt, Status: result.OK, Start: start, End: start.Add(5 * time.Second),
		Window: &result.Window{Start: start.Add(time.Second), End: start.Add(3 * time.Second)},
		Values: []result.Value{{Metric: throughput, Value: (gbits + 0.1*float64(k.Block)) * 1e9}},
		Raw:    result.RawPath(k, attempt),
	}
}

// madeUpTrials has an attempt that failed for good, one that was invalid and
// then repeated, a marked one, and none for the last trial of the plan.
func madeUpTrials(p plan.Plan) []result.Trial {
	var trials []result.Trial
	planned := p.Trials()
	for _, one := range planned[:len(planned)-1] {
		k := result.KeyOf(one)
		t := madeUpTrial(k, 1)
		switch {
		case k.Block == 2 && k.Variant == "ours":
			t.Status, t.Reason, t.Window, t.Values = result.Failed, "the server \"pod\" did not start:\nno image", nil, nil
		case k.Block == 3 && k.Variant == "host":
			t.Status, t.Reason = result.Invalid, "0.41 cores of foreign CPU, limit 0.1"
			trials = append(trials, t)
			t = madeUpTrial(k, 2)
			t.Marks = []result.Mark{{Name: "cpu-saturated", Detail: "1.98 of 2 cores were busy"}}
		}
		trials = append(trials, t)
	}
	return trials
}

// probed is what a probe sampled during a trial: two seconds of one counter
// and one gauge.
func probed(t result.Trial, node string) []openmetrics.Family {
	points := func(values ...float64) []openmetrics.Point {
		var all []openmetrics.Point
		for i, v := range values {
			all = append(all, openmetrics.Point{At: t.Start.Add(time.Duration(i+1) * time.Second), Value: v})
		}
		return all
	}
	of := func(more ...string) map[string]string {
		l := map[string]string{"node": node}
		for i := 0; i < len(more); i += 2 {
			l[more[i]] = more[i+1]
		}
		return l
	}
	return []openmetrics.Family{
		{Name: "cnibench_cpu_seconds", Type: openmetrics.Counter, Unit: "seconds", Help: "CPU time of all cores by mode.", Series: []openmetrics.Series{
			{Labels: of("mode", "user"), Points: points(1, 1.5, 2.25)}, {Labels: of("mode", "softirq"), Points: points(0.5, 1, 1.25)},
		}},
		{Name: "cnibench_memory_bytes", Type: openmetrics.Gauge, Unit: "bytes", Help: "Memory of the machine by the fields of /proc/meminfo.", Series: []openmetrics.Series{
			{Labels: of("field", "free"), Points: points(1<<30, 1<<29, 1<<29)},
		}},
	}
}

// writeEvidence writes families as a run does.
func writeEvidence(t testing.TB, dir string, trial result.Trial, name string, families []openmetrics.Family) {
	t.Helper()
	var text bytes.Buffer
	if err := openmetrics.Write(&text, families); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, trial.Raw, name+".om.zst"), compressed(t, text.Bytes()))
}

func compressed(t testing.TB, text []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(text, nil)
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// madeUp writes a results directory and reads it back, with the evidence of
// the trials of the first block.
func madeUp(t testing.TB, blocks int) (dir string, s export.Source) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "re[sults")
	p := madeUpPlan(t, blocks)
	s = export.Source{Trials: madeUpTrials(p), Environment: result.Environment{
		Schema: result.SchemaVersion, Created: began, Cnibench: "v0.1.0", Topology: "lab",
		Machine: result.Machine{Kernel: "6.18.5", OS: "Debian GNU/Linux 12", CPU: "Synthetic CPU @ 2.0 GHz", Cores: 2},
	}}
	w, err := result.Create(dir, []byte("made up\n"), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range s.Trials {
		if err := w.Append(trial); err != nil {
			t.Fatal(err)
		}
		if trial.Block == 1 {
			writeEvidence(t, dir, trial, "probe-node1", probed(trial, "node1"))
			writeEvidence(t, dir, trial, "probe-node2", probed(trial, "node2"))
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Dir, err = result.Open(dir); err != nil {
		t.Fatal(err)
	}
	if s.Analysis, err = analysis.Analyze(p, s.Trials, s.Environment); err != nil {
		t.Fatal(err)
	}
	return dir, s
}

// exported is the text of s, and what it says as families by name.
func exported(t testing.TB, s export.Source, o export.Options) (text string, families map[string]openmetrics.Family, outcome export.Outcome) {
	t.Helper()
	o.Scratch = t.TempDir()
	var out bytes.Buffer
	outcome, err := export.OpenMetrics(context.Background(), &out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(o.Scratch)
	if err != nil || len(left) > 0 {
		t.Errorf("the scratch directory holds %v, %v", left, err)
	}
	list, err := openmetrics.Read(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	families = map[string]openmetrics.Family{}
	for _, f := range list {
		families[f.Name] = f
	}
	return out.String(), families, outcome
}
