package sample

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time {
	return epoch.Add(time.Duration(math.Round(seconds * float64(time.Second))))
}

// steady is a machine with two cores that spends, per second, 0.5 s in user,
// 0.25 s in softirq, 0.1 s in iowait and the rest idle on each of them, while
// its memory in use grows by 100 bytes. The group uses 0.4 cores.
func steady(times ...float64) Series {
	var s Series
	for _, t := range times {
		core := Modes{User: 0.5 * t, SoftIRQ: 0.25 * t, IOWait: 0.1 * t, Idle: 0.15 * t}
		full := 0.0
		s.Samples = append(s.Samples, Sample{
			At: at(t), Mono: time.Duration(t * float64(time.Second)),
			CPU:   Modes{User: t, SoftIRQ: 0.5 * t, IOWait: 0.2 * t, Idle: 0.3 * t},
			Cores: []Core{{0, core}, {1, core}}, ContextSwitches: uint64(1000 * t),
			Softnet:    &Softnet{Processed: uint64(8000 * t)},
			Memory:     Memory{Total: 1 << 20, Available: 1<<20 - uint64(100*t)},
			Pressure:   &Pressure{Some: 0.125 * t, Full: &full},
			Interfaces: map[string]Traffic{"eth0": {RxBytes: uint64(1000 * t), RxDropped: uint64(8 * t)}},
			Protocols:  &Protocols{TCP: map[string]uint64{"RetransSegs": uint64(16 * t)}, UDP: map[string]uint64{}},
			Groups:     map[string]GroupSample{"load": {Usage: &Usage{CPU: 0.4 * t, User: 0.3 * t, System: 0.1 * t, WorkingSet: 4096}}},
			Own:        0.001 * t,
		})
	}
	return s
}

func TestSummarize(t *testing.T) {
	got, err := Summarize(steady(0, 1, 2, 3, 4), at(0.5), at(3.25))
	if err != nil {
		t.Fatal(err)
	}
	full := 0.0
	want := Summary{
		Window: Window{at(0.5), at(3.25)}, Cores: 2, Busy: 1.5, BusiestCore: 0.75,
		Modes:           Modes{User: 1, SoftIRQ: 0.5, IOWait: 0.2, Idle: 0.3},
		ContextSwitches: 1000, Softnet: &SoftnetRates{Processed: 8000},
		Memory:     Gauge{Mean: 187.5, Max: 325},
		Pressure:   &Pressure{Some: 0.125, Full: &full},
		Interfaces: map[string]TrafficRates{"eth0": {RxBytes: 1000, RxLost: 8}},
		Protocols:  &ProtocolRates{TCP: map[string]float64{"RetransSegs": 16}, UDP: map[string]float64{}},
		Groups:     map[string]GroupSummary{"load": {Cores: 0.4, User: 0.3, System: 0.1, WorkingSet: Gauge{4096, 4096}}},
		Probe:      0.001, LargestGap: time.Second,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
}

// On a steady machine every window gives the same rates, wherever its edges
// and the samples lie.
func TestSummarizeSteady(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := []float64{0}
		for range rapid.IntRange(1, 20).Draw(t, "samples") {
			times = append(times, times[len(times)-1]+rapid.Float64Range(0.01, 3).Draw(t, "gap"))
		}
		last := times[len(times)-1]
		from := rapid.Float64Range(0, 0.6*last).Draw(t, "from")
		to := rapid.Float64Range(0.7*last, last*0.999).Draw(t, "to")
		got, err := Summarize(steady(times...), at(from), at(to))
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Busy-1.5) > 1e-4 || math.Abs(got.Groups["load"].Cores-0.4) > 1e-4 {
			t.Fatalf("busy %v cores, group %v", got.Busy, got.Groups["load"].Cores)
		}
	})
}

// Two adjoining windows together hold what the whole one does.
func TestSummarizeIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := steady(0, 1, 2, 3, 4, 5)
		user := 0.0
		for i := range series.Samples {
			user += rapid.Float64Range(0, 2).Draw(t, "user")
			series.Samples[i].CPU.User = user
		}
		cut := rapid.Float64Range(1, 4).Draw(t, "cut")
		seconds := func(from, to float64) float64 {
			s, err := Summarize(series, at(from), at(to))
			if err != nil {
				t.Fatal(err)
			}
			return s.Modes.User * s.Window.Duration().Seconds()
		}
		if parts, whole := seconds(0.5, cut)+seconds(cut, 4.5), seconds(0.5, 4.5); math.Abs(parts-whole) > 1e-6 {
			t.Fatalf("parts %v, whole %v", parts, whole)
		}
	})
}

func TestSummarizeErrors(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*Series)
		from, to float64
		want     string
	}{
		{"before the samples", func(*Series) {}, -1, 2, "not covered by samples"},
		{"after the samples", func(*Series) {}, 1, 4.1, "not covered by samples"},
		{"empty window", func(*Series) {}, 2, 2, "is empty"},
		{"no samples", func(s *Series) { s.Samples = nil }, 1, 2, "no samples"},
		{"clock set back", func(s *Series) { s.Samples[2].At = at(0.9) }, 1, 2, "clock was set back"},
		{"counter fell", func(s *Series) { s.Samples[2].CPU.User = 0 }, 1, 3, "busy CPU time of machine fell"},
		{"core counter fell", func(s *Series) { s.Samples[2].Cores[1].User = 0 }, 1, 3, "busy CPU time of CPU 1 fell"},
		{"core went", func(s *Series) { s.Samples[2].Cores = s.Samples[2].Cores[:1] }, 1, 3, "on or off line"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := steady(0, 1, 2, 3, 4)
			test.change(&s)
			_, err := Summarize(s, at(test.from), at(test.to))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

// A group whose cgroups come or go has no figures, which is not 0.
func TestSummarizeGroupErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func([]Sample)
		want   string // empty: no error
	}{
		{"gone", func(s []Sample) { s[2].Groups = map[string]GroupSample{"load": {Missing: []string{"a"}}} }, "came or went"},
		{"partly gone", func(s []Sample) {
			s[2].Groups = map[string]GroupSample{"load": {Usage: &Usage{CPU: 9}, Missing: []string{"a"}}}
		}, "came or went"},
		{"never there", func(s []Sample) {
			for i := range s {
				s[i].Groups = map[string]GroupSample{"load": {Missing: []string{"a"}}}
			}
		}, "none of its cgroups existed"},
		{"replaced", func(s []Sample) { s[2].Groups["load"].Usage.CPU = 0 }, "replaced by another"},
		{"gone outside the window", func(s []Sample) {
			s[4].Groups = map[string]GroupSample{"load": {Missing: []string{"a"}}}
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := steady(0, 1, 2, 3, 4)
			test.change(s.Samples)
			sum, err := Summarize(s, at(1.5), at(2.5))
			if err != nil {
				t.Fatal(err)
			}
			g := sum.Groups["load"]
			if test.want == "" {
				if g.Error != "" || g.Cores == 0 {
					t.Errorf("group = %+v, want figures", g)
				}
				return
			}
			if !strings.Contains(g.Error, test.want) || g.Cores != 0 {
				t.Errorf("group = %+v, want an error with %q", g, test.want)
			}
		})
	}
}

func TestSummarizeNoticesClockStep(t *testing.T) {
	s := steady(0, 1, 2, 3)
	s.Samples[2].Mono -= 300 * time.Millisecond
	s.Samples[3].Mono -= 300 * time.Millisecond
	sum, err := Summarize(s, at(0.5), at(2.5))
	if err != nil || sum.ClockStep != 300*time.Millisecond {
		t.Errorf("clock step = %v, %v; want 300ms", sum.ClockStep, err)
	}
}
