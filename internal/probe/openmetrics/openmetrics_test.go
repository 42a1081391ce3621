package openmetrics

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

func ref[T any](v T) *T { return &v }

// small has two samples, the first of everything; the group's second cgroup
// comes with the second one, which has nothing that a kernel may lack.
func small() sample.Series {
	core := sample.Modes{User: 1.25, Idle: 9}
	first := sample.Sample{
		At: epoch.Add(123 * time.Microsecond), CPU: core, Cores: []sample.Core{{ID: 1, Modes: core}}, ContextSwitches: 5,
		SoftIRQs:   map[string]uint64{"NET_RX": 21, "TIMER": 4},
		Tasks:      &sample.Tasks{Running: 3, Blocked: 1, Forks: 77},
		Softnet:    &sample.Softnet{Processed: 7},
		Memory:     &sample.Memory{Total: 1 << 30, Free: 1 << 29, Available: 3 << 28, Cached: 1 << 20},
		Sockets:    &sample.Sockets{Used: 9, TCP: 2, TCP6: ref[uint64](1), UDP: 3, UDP6: ref[uint64](0), TCPMemory: 8192, Fragments: ref[uint64](0)},
		Pressure:   map[string]sample.Pressure{"cpu": {Some: 0.5}, "io": {Some: 1, Full: ref(0.25)}},
		Interfaces: map[string]sample.Traffic{"eth0": {RxBytes: 1500, RxPackets: 1}},
		Disks:      map[string]sample.Disk{"vda": {Reads: 1, ReadBytes: 512, Busy: 0.004}},
		Protocols: &sample.Protocols{
			TCP: map[string]uint64{"RetransSegs": 2}, TCPExt: map[string]uint64{"ListenDrops": 1},
			UDP: map[string]uint64{"InErrors": 0}, UDP6: map[string]uint64{"InErrors": 6},
		},
		Conntrack: &sample.Conntrack{Entries: 12, Limit: ref[uint64](262144), Events: map[string]uint64{"drop": 3}},
		Frequency: &sample.Frequency{Mean: 2.5e9, Min: 2e9, Max: 3e9},
		Throttles: &sample.Throttles{Core: 1},
		Energy:    map[string]float64{"package-0": 17.5},
		Hardware:  &sample.Hardware{Cycles: 1000, Instructions: 2000},
		Groups:    map[string]sample.GroupSample{"load": {Missing: []string{"b"}}},
		Own:       0.01,
	}
	next := sample.Sample{At: epoch.Add(time.Second), CPU: core, Cores: first.Cores, ContextSwitches: 6, Own: 0.02}
	next.Groups = map[string]sample.GroupSample{"load": {Restarts: 1, Usage: &sample.Usage{
		CPU: 3, User: 2, System: 1, Throttled: ref(0.5), WorkingSet: 4096,
		Anon: ref[uint64](1024), File: ref[uint64](2048), Kernel: ref[uint64](512), Socket: ref[uint64](0),
	}}}
	return sample.Series{
		Samples: []sample.Sample{first, next},
		Faults:  []sample.Fault{{Since: first.At, At: next.At, Kind: sample.FaultCgroup, Detail: "b came"}},
	}
}

// A clock that was set back leaves no points out of order, which no reader
// takes, and its fault tells of it.
func TestFamiliesOfAClockSetBack(t *testing.T) {
	s := small()
	back := s.Samples[1]
	back.At = s.Samples[0].At.Add(-time.Minute)
	s.Samples = append(s.Samples[:1:1], back, s.Samples[1])
	families, err := Families(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(io.Discard, families); err != nil {
		t.Fatal(err)
	}
	if n := len(families[0].Series[0].Points); n != 2 {
		t.Errorf("%d points, want 2", n)
	}
}

func TestFamilies(t *testing.T) {
	families, err := Families(small(), map[string]string{"node": "n1"})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := Write(&got, families); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "small.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// The page that explains the series names all of them, and no other.
func TestFamiliesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "probe.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`(cnibench_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		named[name[1]] = true
	}
	families, err := Families(small(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !named[f.Name] {
			t.Errorf("docs/probe.md does not name %s", f.Name)
		}
		delete(named, f.Name)
	}
	if len(named) > 0 {
		t.Errorf("docs/probe.md names %v, which there are not", named)
	}
}

func TestFamiliesRefusesLabelsOfItsOwn(t *testing.T) {
	if _, err := Families(small(), map[string]string{"mode": "x"}); err == nil || !strings.Contains(err.Error(), `label "mode"`) {
		t.Errorf("error is %v", err)
	}
}

// families generates anything that Write accepts.
func families(t *rapid.T) []Family {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z_][a-z0-9_]{0,8}x`), 0, 4, rapid.ID).Draw(t, "names")
	var all []Family
	for _, name := range names {
		f := Family{
			Name: name,
			Type: rapid.SampledFrom([]Type{Counter, Gauge}).Draw(t, "type"),
			Unit: rapid.SampledFrom([]string{"", "seconds", "bytes"}).Draw(t, "unit"),
			Help: rapid.StringN(1, 20, -1).Draw(t, "help"),
		}
		if f.Unit != "" {
			f.Name += "_" + f.Unit
		}
		for i := range rapid.IntRange(1, 3).Draw(t, "series") {
			labels := rapid.MapOfN(rapid.StringMatching(`[a-z_][a-z0-9_]{0,4}`), rapid.String(), 0, 3).Draw(t, "labels")
			labels["Series"] = fmt.Sprint(i)
			f.Series = append(f.Series, Series{Labels: labels, Points: points(t, f.Type)})
		}
		all = append(all, f)
	}
	return all
}

func points(t *rapid.T, kind Type) []Point {
	value := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
	if kind == Counter {
		value = rapid.Float64Range(0, math.MaxFloat64)
	}
	at := epoch
	var all []Point
	for range rapid.IntRange(1, 5).Draw(t, "points") {
		at = at.Add(time.Duration(rapid.IntRange(1, 1e6).Draw(t, "gap")) * time.Millisecond)
		all = append(all, Point{At: at, Value: value.Draw(t, "value")})
	}
	return all
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := families(t)
		var text bytes.Buffer
		if err := Write(&text, want); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("families (-want +got):\n%s", diff)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	good := func() Family {
		return Family{Name: "a_seconds", Type: Counter, Unit: "seconds", Help: "h", Series: []Series{
			{Points: []Point{{epoch, 1}, {epoch.Add(time.Second), 2}}},
		}}
	}
	tests := []struct {
		name   string
		change func(*Family)
		want   string
	}{
		{"name", func(f *Family) { f.Name = "a-b" }, "no name"},
		{"total", func(f *Family) { f.Name, f.Unit = "a_total", "" }, "no name"},
		{"unit", func(f *Family) { f.Unit = "bytes" }, "does not end in its unit"},
		{"type", func(f *Family) { f.Type = "histogram" }, "type"},
		{"help", func(f *Family) { f.Help = "" }, "help"},
		{"no series", func(f *Family) { f.Series = nil }, "no series"},
		{"no points", func(f *Family) { f.Series[0].Points = nil }, "no points"},
		{"same labels", func(f *Family) { f.Series = append(f.Series, f.Series[0]) }, "two series"},
		{"label name", func(f *Family) { f.Series[0].Labels = map[string]string{"a-b": ""} }, "no valid label"},
		{"label value", func(f *Family) { f.Series[0].Labels = map[string]string{"a": "\xff"} }, "no valid label"},
		{"same time", func(f *Family) { f.Series[0].Points[1].At = epoch.Add(time.Microsecond) }, "millisecond later"},
		{"negative counter", func(f *Family) { f.Series[0].Points[0].Value = -1 }, "value -1"},
		{"NaN counter", func(f *Family) { f.Series[0].Points[0].Value = math.NaN() }, "value NaN"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := good()
			test.change(&f)
			if err := Write(&bytes.Buffer{}, []Family{f}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
	if err := Write(&bytes.Buffer{}, []Family{good(), good()}); err == nil || !strings.Contains(err.Error(), "comes twice") {
		t.Errorf("the same family twice: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	const head = "# HELP a h\n# TYPE a gauge\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "no # EOF"},
		{"cut short", head + "a 1.0 2.0\n", "no # EOF"},
		{"cut in a line", head + "a 1.0 2", "no # EOF"},
		{"text after the end", "# EOF\n# EOF\n", "line 2: text after"},
		{"no timestamp", head + "a 1.0\n# EOF\n", `line 3: " 1.0" is not a value and a timestamp`},
		{"no value", head + "a x 1.0\n# EOF\n", `"x" is no value`},
		{"milliseconds", head + "a 1 1795219694000000\n# EOF\n", "no timestamp in seconds"},
		{"other name", head + "b 1.0 2.0\n# EOF\n", "no sample of a"},
		{"sample first", "a 1.0 2.0\n# EOF\n", "before any HELP"},
		{"type first", "# TYPE a gauge\n# EOF\n", "does not follow its HELP"},
		{"no type", "# HELP a h\na 1.0 2.0\n# EOF\n", `type ""`},
		{"counter without total", "# HELP a h\n# TYPE a counter\na 1.0 2.0\n# EOF\n", "no sample of a_total"},
		{"back in time", head + "a 1.0 2.0\na 1.0 1.0\n# EOF\n", "millisecond later"},
		{"labels mixed", head + "a{l=\"1\"} 1.0 1.0\na{l=\"2\"} 1.0 1.0\na{l=\"1\"} 1.0 2.0\n# EOF\n", "two series"},
		{"open label", head + "a{l=\"1} 1.0 1.0\n# EOF\n", "labels end in"},
		{"label twice", head + "a{l=\"1\",l=\"1\"} 1.0 1.0\n# EOF\n", "comes twice"},
		{"label separator", head + "a{l=\"1\";m=\"1\"} 1.0 1.0\n# EOF\n", "labels go on"},
		{"escape", head + "a{l=\"\\t\"} 1.0 1.0\n# EOF\n", "unknown escape"},
		{"family twice", head + "a 1.0 2.0\n" + head + "# EOF\n", "comes twice"},
		{"blank line", head + "\na 1.0 2.0\n# EOF\n", "no sample"},
		{"other comment", "# HELP a h\n# NOTE a x\n", "no OpenMetrics comment"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read() = %+v, %v; want an error with %q", got, err, test.want)
			}
		})
	}
}

// What can be read can be written again, and reads the same.
// Whoever wants one family gets it as if it were alone in the file.
func TestReadOnly(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "small.txt"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2 {
		t.Fatalf("the example has %d families", len(all))
	}
	for _, want := range all {
		got, err := Read(bytes.NewReader(text), want.Name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Family{want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
	if got, err := Read(bytes.NewReader(text), "nothing_like_it"); err != nil || len(got) != 0 {
		t.Errorf("a family that is not there: %v, %v", got, err)
	}
	if _, err := Read(bytes.NewReader(bytes.TrimSuffix(text, []byte("# EOF\n"))), "nothing_like_it"); err == nil {
		t.Error("a file cut short was read")
	}
}

func FuzzRead(f *testing.F) {
	small, err := os.ReadFile(filepath.Join("testdata", "small.txt"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add([]byte("# HELP a h\\n\n# TYPE a gauge\na{l=\"\\\"\\\\\"} 1e300 1.5e+09\n# EOF\n"))
	f.Add([]byte("# EOF\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		first, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, first); err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		second, err := Read(&again)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		if diff := cmp.Diff(first, second, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("families (-first +second):\n%s", diff)
		}
	})
}
