package stage

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

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
func samplingOf(t *testing.T, b *Bench, patience time.Duration, probes map[string]Runner) *Sampling {
	t.Helper()
	ctx, cut := context.WithCancel(t.Context())
	s := &Sampling{b, map[string]*Session{}, map[string]string{}, cut, patience}
	for node, run := range probes {
		session, err := Open(ctx, "the probe on "+node, run, "sample", sample.Spec{Interval: time.Second})
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
		run      Runner
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
			probes := map[string]Runner{"node2": tt.run}
			if tt.name != "it hangs" { // the other's answer would race with the patience
				probes["node1"] = fakeProbe(good, "", nil)
			}
			got, err := samplingOf(t, b, tt.patience, probes).Stop(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			says(t, errors.New(got.lost["node2"]), tt.want...)
			if len(got.lost) != 1 || len(got.series) != len(probes)-1 {
				t.Errorf("lost %v, %d series", got.lost, len(got.series))
			}
			w := sample.Window{Start: seen().Samples[0].At, End: seen().Samples[2].At}
			ms := got.inWindow(w)
			says(t, errors.New(ms.Unknown), tt.want...)
			if ms.Summaries != nil {
				t.Errorf("figures of some machines are taken for those of all: %v", ms.Summaries)
			}
		})
	}
}

// An interrupt is no loss of a probe: it ends the trial.
func TestSamplingInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := samplingOf(t, &Bench{Raw: t.TempDir()}, time.Minute, map[string]Runner{"node1": fakeProbe("", "", context.Canceled)})
	if got, err := s.Stop(ctx); err == nil {
		t.Errorf("it gives %+v", got)
	}
}

// A window that the samples do not cover is a reason, not an error of the
// trial.
func TestWindowBeyondTheSamples(t *testing.T) {
	s := seen()
	w := sample.Window{Start: s.Samples[0].At, End: s.Samples[2].At.Add(time.Second)}
	ms := Sampled{series: map[string]sample.Series{"node1": s}}.inWindow(w)
	says(t, errors.New(ms.Unknown), "node1", "not covered")
}

// Figures in front stay in front, and what is missing of either is missing of
// both.
func TestFiguresJoin(t *testing.T) {
	throughput, retransmits, rtt := result.Metric{Name: "throughput"}, result.Metric{Name: "retransmits"}, result.Metric{Name: "rtt"}
	var m Measurement
	m.Lead(Figures{Values: []result.Value{{Metric: CPU, Value: 1}}, Missing: map[string]string{Memory.Name: "a"}})
	var f Figures
	f.Add(throughput, 2)
	f.Add(CPUPerGbit, 0) // less than can be compared as a ratio
	m.Lead(f)
	m.Follow(Figures{Values: []result.Value{{Metric: retransmits}}, Missing: map[string]string{rtt.Name: "b"}})
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

// Short trials are sampled at 10 Hz, see the methodology.
func TestInterval(t *testing.T) {
	for duration, want := range map[time.Duration]time.Duration{
		time.Second: 100 * time.Millisecond, 4999 * time.Millisecond: 100 * time.Millisecond, 5 * time.Second: time.Second, time.Hour: time.Second,
	} {
		if got := SamplingInterval(duration); got != want {
			t.Errorf("a trial of %s is sampled every %s, want %s", duration, got, want)
		}
	}
}
