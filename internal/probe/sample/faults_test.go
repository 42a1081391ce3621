package sample

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// record adds the samples of s to a recording and sends it through JSON.
func record(t *testing.T, s Series) Series {
	t.Helper()
	samples := s.Samples
	s.Samples = nil
	r, err := NewRecording(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range samples {
		if err := r.Add(one, nil); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got Series
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRecording(t *testing.T) {
	s := steady(0, 1, 2, 3)
	if diff := cmp.Diff(s, record(t, s)); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	text, err := json.Marshal(s) // samples in plain JSON
	if err != nil {
		t.Fatal(err)
	}
	var got Series
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, got); diff != "" {
		t.Errorf("plain series (-want +got):\n%s", diff)
	}
	for name, text := range map[string]string{
		"cut":       `{"packedSamples":"qlZyLEpVslJQSk1UAgA=","packedCount":1}`,
		"too few":   `{"packedSamples":"AwA=","packedCount":1}`,
		"no base64": `{"packedSamples":"%"}`,
	} {
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzSeries decodes anything: what is accepted has as many samples as it says.
func FuzzSeries(f *testing.F) {
	r, err := NewRecording(Series{Interval: time.Second})
	if err != nil {
		f.Fatal(err)
	}
	for _, one := range steady(0, 1, 2).Samples {
		if err := r.Add(one, nil); err != nil {
			f.Fatal(err)
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"samples":[{"cpu":{"user":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Series
		if err := json.Unmarshal(data, &s); err != nil {
			return
		}
		var p packed
		if err := json.Unmarshal(data, &p); err != nil || p.Packed != nil && len(s.Samples) != p.Count+len(p.Samples) {
			t.Errorf("%d samples of %d, %v", len(s.Samples), p.Count, err)
		}
		if len(s.Samples) > 1 {
			_, _ = Summarize(s, s.Samples[0].At, s.Samples[len(s.Samples)-1].At)
		}
	})
}

// Each of these is a fault of the series, touches the summary, and leaves out
// the figure that it spoils.
func TestFaults(t *testing.T) {
	tests := []struct {
		name    string
		change  func([]Sample)
		want    string // kind, figure: part of the detail
		missing string // of the summary, empty if it has all
	}{
		{"gap", func(s []Sample) {
			for i := range s[2:] {
				s[2+i].At, s[2+i].Mono = s[2+i].At.Add(5*time.Second), s[2+i].Mono+5*time.Second
			}
		}, "gap, : no sample for 6s", ""},
		{"clock set forward", func(s []Sample) {
			for i := range s[2:] {
				s[2+i].At = s[2+i].At.Add(300 * time.Millisecond)
			}
		}, "clock-step, : set by 300ms", ""},
		{"clock set back a little", func(s []Sample) {
			for i := range s[2:] {
				s[2+i].At = s[2+i].At.Add(-300 * time.Millisecond)
			}
		}, "clock-step, : set by -300ms", ""},
		{"CPU went off line", func(s []Sample) { s[2].Cores = s[2].Cores[:1] }, "cpu, busiestCore: [0 1], then [0]", "busiestCore"},
		{"CPU's counter fell", func(s []Sample) { s[2].Cores[1].User = 0 }, "counter-reset, busiestCore: fell from", "busiestCore"},
		{"context switches fell", func(s []Sample) { s[2].ContextSwitches = 7 }, "counter-reset, contextSwitches: fell from 1000 to 7", "contextSwitches"},
		{"interface replaced", func(s []Sample) { s[2].Interfaces = map[string]Traffic{"eth0": {}} }, "", ""},
		{"interface went", func(s []Sample) { s[2].Interfaces = nil }, "", "interfaces/eth0"},
		{"protocol's counter fell", func(s []Sample) { s[2].Protocols.TCP["RetransSegs"] = 3 }, "counter-reset, protocols/tcp/RetransSegs: fell from 16 to 3", "protocols/tcp/RetransSegs"},
		{"disk's counter fell", func(s []Sample) { s[2].Disks["vda"] = Disk{} }, "", "disks/vda"},
		{"energy fell", func(s []Sample) { s[2].Energy["package-0"] = 1 }, "counter-reset, powerWatts/package-0: fell from 17 to 1", "powerWatts/package-0"},
		{"memory not read once", func(s []Sample) { s[2].Memory = nil }, "", "memoryBytes"},
		{"conntrack's counter fell", func(s []Sample) { s[2].Conntrack.Events["drop"] = 0 }, "counter-reset, conntrack/events/drop: fell from 16 to 0", "conntrack/events/drop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := steady(0, 1, 2, 3, 4)
			tt.change(s.Samples)
			s = record(t, s)
			sum, err := Summarize(s, s.Samples[1].At.Add(time.Millisecond), s.Samples[3].At.Add(-time.Millisecond))
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "interface replaced" { // counters of bytes fell, those of packets were 0
				tt.missing = "interfaces/eth0"
			}
			if tt.want != "" {
				checkFault(t, tt.want, sum.Faults)
			}
			if (tt.missing == "") != (len(sum.Missing) == 0) || tt.missing != "" && sum.Missing[tt.missing] == "" {
				t.Errorf("missing are %v, want %q", sum.Missing, tt.missing)
			}
			if sum.Busy < 1.4 && tt.name != "gap" { // a gap of an idle machine
				t.Errorf("busy cores = %v, want 1.5 whatever else is spoilt", sum.Busy)
			}
		})
	}
}

func checkFault(t *testing.T, want string, got []Fault) {
	t.Helper()
	head, detail, _ := strings.Cut(want, ": ")
	for _, f := range got {
		if f.Kind+", "+f.Figure == head && strings.Contains(f.Detail, detail) {
			return
		}
	}
	t.Errorf("faults are %+v, want %q", got, want)
}

// A figure that was never readable is missing for the reason that the sampler
// gave, and did not go wrong in the window.
func TestUnreadableIsMissing(t *testing.T) {
	s := steady(0, 1, 2, 3)
	for i := range s.Samples {
		s.Samples[i].Energy = nil
	}
	s.Faults = []Fault{
		{Since: at(0), At: at(0), Kind: FaultUnreadable, Figure: "powerWatts", Detail: "no counter of energy"},
		{Since: at(0), At: at(0), Kind: FaultUnreadable, Figure: "softnet", Detail: "came later"},
	}
	sum, err := Summarize(s, at(0), at(2.5))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"powerWatts": "no counter of energy"}, sum.Missing); diff != "" || len(sum.Faults) != 0 {
		t.Errorf("faults %v, missing (-want +got):\n%s", sum.Faults, diff)
	}
}

// A list of faults does not grow without end.
func TestFaultsAreBounded(t *testing.T) {
	r, err := NewRecording(Series{Interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * maxFaults {
		if err := r.Add(Sample{At: at(float64(i)), Mono: time.Duration(i) * time.Second}, []Fault{{At: at(float64(i)), Kind: FaultGap}}); err != nil {
			t.Fatal(err)
		}
	}
	faults := r.header.Faults
	if last := faults[len(faults)-1]; len(faults) != maxFaults+1 || last.Kind != FaultMore || !last.At.Equal(at(3*maxFaults-1)) {
		t.Errorf("%d faults, the last one %+v", len(faults), last)
	}
}

func TestRestLeavesOutGroupsInOthers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		groups map[string][]string
		want   []string // nil: an error
	}{
		{"side by side", map[string][]string{"a": {"x"}, "b": {"xy"}}, []string{"a", "b"}},
		{"one in another", map[string][]string{"all": {"x"}, "cni": {"x/a", "x/b"}}, []string{"all"}},
		{"the same twice", map[string][]string{"b": {"x"}, "a": {"x"}}, []string{"a"}},
		{"in the root", map[string][]string{"all": {"."}, "cni": {"x/a"}}, []string{"all"}},
		{"in part", map[string][]string{"a": {"x/y", "z"}, "b": {"x"}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := disjoint(tt.groups)
			if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.want == nil) {
				t.Errorf("%v, (-want +got):\n%s", err, diff)
			}
		})
	}
}
