package scenario

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// seen is a series of three samples, one second apart, with half a core busy.
func seen() sample.Series {
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	s := sample.Series{Hostname: "node", Interval: time.Second, IRQTime: "tick"}
	for i := range 3 {
		cpu := sample.Modes{User: 0.5 * float64(i), Idle: 0.5 * float64(i)}
		at := time.Duration(i) * time.Second
		s.Samples = append(s.Samples, sample.Sample{At: start.Add(at), Mono: at, CPU: cpu, Cores: []sample.Core{{Modes: cpu}}})
	}
	return s
}

// samplingOf is a sampling whose probes behave as the runners do.
func samplingOf(t *testing.T, b *Bench, patience time.Duration, probes map[string]runner) *sampling {
	t.Helper()
	ctx, cut := context.WithCancel(t.Context())
	s := &sampling{b, map[string]*session{}, map[string]string{}, cut, patience}
	for node, run := range probes {
		session, err := open(ctx, "the probe on "+node, run, "sample", sample.Spec{Interval: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		s.sessions[node] = session
	}
	return s
}

// A probe that dies, hangs or sends half of what it saw costs its own figures,
// and says why.
func TestSamplingLosesProbesNotTrials(t *testing.T) {
	good := frame(t, probe.FrameSeries, seen())
	hangs := func(ctx context.Context, _ []string, stdin io.Reader, _, _ io.Writer) error {
		if _, err := io.ReadAll(stdin); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	}
	for _, tt := range []struct {
		name     string
		run      runner
		patience time.Duration
		want     []string
	}{
		{"it was killed", fakeProbe("", "", errors.New("command terminated with exit code 137")), time.Minute, []string{"137", "node2"}},
		{"its frame is cut short", fakeProbe(good[:len(good)/2], "", nil), time.Minute, []string{"node2"}},
		{"its frame is damaged", fakeProbe(good[:len(good)-9]+"x"+good[len(good)-8:], "", nil), time.Minute, []string{"node2"}},
		{"it hangs", hangs, time.Millisecond, []string{"node2", "1ms"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &Bench{Raw: t.TempDir(), evidence: &evidence{}}
			probes := map[string]runner{"node2": tt.run}
			if tt.name != "it hangs" { // the other's answer would race with the patience
				probes["node1"] = fakeProbe(good, "", nil)
			}
			got, err := samplingOf(t, b, tt.patience, probes).stop(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			says(t, errors.New(got.lost["node2"]), tt.want...)
			if len(got.lost) != 1 || len(got.series) != len(probes)-1 {
				t.Errorf("lost %v, %d series", got.lost, len(got.series))
			}
			w := sample.Window{Start: seen().Samples[0].At, End: seen().Samples[2].At}
			ms := got.inWindow(w)
			says(t, errors.New(ms.unknown), tt.want...)
			if ms.summaries != nil {
				t.Errorf("figures of some machines are taken for those of all: %v", ms.summaries)
			}
		})
	}
}

// An interrupt is no loss of a probe: it ends the trial.
func TestSamplingInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := samplingOf(t, &Bench{Raw: t.TempDir()}, time.Minute, map[string]runner{"node1": fakeProbe("", "", context.Canceled)})
	if got, err := s.stop(ctx); err == nil {
		t.Errorf("it gives %+v", got)
	}
}

// A window that the samples do not cover is a reason, not an error of the
// trial.
func TestWindowBeyondTheSamples(t *testing.T) {
	s := seen()
	w := sample.Window{Start: s.Samples[0].At, End: s.Samples[2].At.Add(time.Second)}
	ms := sampled{series: map[string]sample.Series{"node1": s}}.inWindow(w)
	says(t, errors.New(ms.unknown), "node1", "not covered")
}

// full makes a file of evidence one that has no room, as on a full disk.
func full(t *testing.T, dir, name string) {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if err := os.Symlink("/dev/full", filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// A full disk takes the evidence, not the figures; nothing is left that only
// looks like evidence.
func TestMeasureOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	full(t, dir, "summary.json")
	s := Scenario{Name: "x", Metrics: []result.Metric{throughput}, Run: func(_ context.Context, b *Bench, _ plan.Cell) (Measurement, error) {
		b.keep("other.txt", []byte("all of it"))
		return Measurement{Values: []result.Value{{Metric: throughput, Value: 1e9}}}, b.keepJSON("summary.json", 1)
	}}
	m, err := s.Measure(t.Context(), &Bench{Raw: dir}, plan.Cell{Parameters: parameter.Values{}})
	if err != nil {
		t.Fatal(err)
	}
	want := []result.Mark{{Name: "evidence-incomplete", Detail: "summary.json: no space left on device"}}
	if diff := cmp.Diff(want, m.Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if byName(m.Values)["throughput"] != 1e9 {
		t.Errorf("values %v", m.Values)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || files[0].Name() != "other.txt" {
		t.Errorf("left are %v, %v", files, err)
	}
}

// Side figures may be missing; the scenario's own may not.
func TestMeasureNeedsItsFirstMetric(t *testing.T) {
	lost := map[string]string{cpu.Name: "the probe on node1: it was killed"}
	run := func(metrics ...result.Metric) (Measurement, error) {
		s := Scenario{Name: "x", Metrics: metrics, Run: func(context.Context, *Bench, plan.Cell) (Measurement, error) {
			return Measurement{Missing: maps.Clone(lost)}, nil
		}}
		return s.Measure(t.Context(), &Bench{Raw: t.TempDir()}, plan.Cell{Parameters: parameter.Values{}})
	}
	if m, err := run(throughput, cpu); err != nil || !maps.Equal(m.Missing, lost) {
		t.Errorf("a load lost its figures: %v, %v", m, err)
	}
	_, err := run(cpu, memory)
	says(t, err, cpu.Name, "it was killed")
}

// Figures in front stay in front, and what is missing of either is missing of
// both.
func TestFiguresJoin(t *testing.T) {
	var m Measurement
	m.lead(figures{values: []result.Value{{Metric: cpu, Value: 1}}, missing: map[string]string{memory.Name: "a"}})
	var f figures
	f.add(throughput, 2)
	f.add(cpuPerGbit, 0) // less than can be compared as a ratio
	m.lead(f)
	m.follow(figures{values: []result.Value{{Metric: retransmits}}, missing: map[string]string{rtt.Name: "b"}})
	var names []string
	for _, v := range m.Values {
		names = append(names, v.Name)
	}
	if want := []string{"throughput", "cpu", "retransmits"}; !slices.Equal(names, want) {
		t.Errorf("values %v, want %v", names, want)
	}
	if want := []string{"cpu-per-gbit", "memory", "rtt"}; !slices.Equal(slices.Sorted(maps.Keys(m.Missing)), want) {
		t.Errorf("missing %v, want %v", m.Missing, want)
	}
}
