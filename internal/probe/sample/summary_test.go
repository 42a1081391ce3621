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
	s := Series{Interval: time.Second, Groups: map[string][]string{"load": {"pods"}}}
	for _, t := range times {
		core := Modes{User: 0.5 * t, SoftIRQ: 0.25 * t, IOWait: 0.1 * t, Idle: 0.15 * t}
		s.Samples = append(s.Samples, Sample{
			At: at(t), Mono: time.Duration(t * float64(time.Second)),
			CPU:   Modes{User: t, SoftIRQ: 0.5 * t, IOWait: 0.2 * t, Idle: 0.3 * t},
			Cores: []Core{{0, core}, {1, core}}, ContextSwitches: uint64(1000 * t),
			Softnet:    &Softnet{Processed: uint64(8000 * t)},
			Memory:     &Memory{Total: 1 << 20, Available: 1<<20 - uint64(100*t)},
			Pressure:   map[string]Pressure{"cpu": {Some: 0.125 * t, Full: ref(0.0)}},
			Interfaces: map[string]Traffic{"eth0": {RxBytes: uint64(1000 * t), RxDropped: uint64(8 * t)}},
			Protocols:  &Protocols{TCP: map[string]uint64{"RetransSegs": uint64(16 * t)}},
			SoftIRQs:   map[string]uint64{"NET_RX": uint64(2000 * t)},
			Tasks:      &Tasks{Running: 3, Forks: uint64(8 * t)},
			Sockets:    &Sockets{TCP: 2, TCP6: ref[uint64](1), TCPMemory: 4096},
			Disks:      map[string]Disk{"vda": {WrittenBytes: uint64(4096 * t), Busy: 0.25 * t}},
			Conntrack:  &Conntrack{Entries: 7, Limit: ref[uint64](100), Events: map[string]uint64{"drop": uint64(16 * t)}},
			Frequency:  &Frequency{Mean: 2e9, Min: 1e9, Max: 3e9},
			Throttles:  &Throttles{Core: uint64(8 * t)},
			Energy:     map[string]float64{"package-0": 17 * t},
			Hardware:   &Hardware{Cycles: uint64(8e6 * t), Instructions: uint64(16e6 * t)},
			Groups:     map[string]GroupSample{"load": {Usage: &Usage{CPU: 0.4 * t, User: 0.3 * t, System: 0.1 * t, WorkingSet: 4096, Anon: ref[uint64](2048)}}},
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
	steady := func(v float64) Gauge { return Gauge{v, v} }
	want := Summary{
		Window: Window{at(0.5), at(3.25)}, Cores: 2, Busy: 1.5, BusiestCore: ref(0.75),
		Modes:           Modes{User: 1, SoftIRQ: 0.5, IOWait: 0.2, Idle: 0.3},
		ContextSwitches: ref(1000.0), SoftIRQs: map[string]float64{"NET_RX": 2000},
		Tasks: &TaskSummary{Running: steady(3), Forks: 8}, Softnet: &SoftnetRates{Processed: 8000},
		Memory: &MemorySummary{
			Used: Gauge{Mean: 187.5, Max: 325}, LessCaches: steady(1 << 20),
			Available: Gauge{Mean: 1<<20 - 187.5, Max: 1<<20 - 50},
		},
		Sockets:    &SocketSummary{TCP: steady(3), TCPMemory: steady(4096)},
		Pressure:   map[string]Pressure{"cpu": {Some: 0.125, Full: ref(0.0)}},
		Interfaces: map[string]TrafficRates{"eth0": {RxBytes: 1000, RxLost: 8}},
		Disks:      map[string]DiskRates{"vda": {WrittenBytes: 4096, Busy: 0.25}},
		Protocols:  &ProtocolRates{TCP: map[string]float64{"RetransSegs": 16}},
		Conntrack:  &ConntrackSummary{Entries: steady(7), Limit: ref[uint64](100), Events: map[string]float64{"drop": 16}},
		Frequency:  &FrequencySummary{Mean: 2e9, Min: 1e9, Max: 3e9}, Throttles: &ThrottleRates{Core: 8},
		Power: map[string]float64{"package-0": 17}, Hardware: &HardwareRates{Cycles: 8e6, Instructions: 16e6},
		Groups: map[string]GroupSummary{"load": {
			Cores: 0.4, User: 0.3, System: 0.1, WorkingSet: steady(4096), Anon: ref(steady(2048)),
		}},
		Rest:  &RestSummary{Cores: 1.1, Memory: ref(steady(1<<20 - 2048))},
		Probe: ref(0.001), Samples: 3, EdgeSlack: 500 * time.Millisecond, LargestGap: time.Second,
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
		{"clock set back", func(s *Series) { s.Samples[2].At = at(0.9) }, 0.5, 2.5, "it was set back 1 times"},
		{"clock set back, twice the same time", func(s *Series) {
			for i := range s.Samples[2:] {
				s.Samples[2+i].At = at(0.1 + float64(i)*0.5)
			}
		}, 0.2, 0.8, "happened twice"},
		{"monotonic clock stood still", func(s *Series) { s.Samples[2].Mono = s.Samples[1].Mono }, 1, 2, "monotonic clock"},
		{"counter fell", func(s *Series) { s.Samples[2].CPU.User = 0 }, 1, 3, "busy CPU time of the machine fell"},
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
		{"one of several replaced", func(s []Sample) {
			s[2].Groups = map[string]GroupSample{"load": {Usage: s[2].Groups["load"].Usage, Restarts: 1}}
		}, "replaced by another"},
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
