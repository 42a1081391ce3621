package load

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// process reads the probe's report on a generator that really ran.
func process(t testing.TB, generator, name string) probe.ProcessReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", generator, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var p probe.ProcessReport
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// checkGolden compares a result with the golden file next to its process.
func checkGolden(t *testing.T, generator, name string, result any) {
	t.Helper()
	got, err := json.MarshalIndent(result, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", generator, name+".golden")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// failure is a generator that really failed, and a part of the error.
type failure struct{ name, want string }

func checkFailures[R any](t *testing.T, generator string, parse func(probe.ProcessReport) (R, error), failures []failure) {
	t.Helper()
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			r, err := parse(process(t, generator, f.name))
			if err == nil || !strings.Contains(err.Error(), f.want) {
				t.Errorf("result %+v, error %v; want an error with %q", r, err, f.want)
			}
		})
	}
}

// Every command line that is made here is the one that a fixture was recorded
// with.
func checkArgv(t *testing.T, got []string, err error, generator, name string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(process(t, generator, name).Argv, got); diff != "" {
		t.Errorf("%s (-recorded +made):\n%s", name, diff)
	}
}

func TestVersion(t *testing.T) {
	for _, tt := range []struct {
		generator, name, want string
		argv                  []string
	}{
		{"qperf", "version", "qperf 0.4.11", QperfVersion()},
		{"sockperf", "version", "sockperf, version 3.7-no.git", SockperfVersion()},
		{"ping", "version", "ping from iputils 20221126", PingVersion()},
		{"netperf", "version", "Netperf version 2.7.0", NetperfVersion()},
		{"netperf", "server-version", "Netperf version 2.7.0", NetserverVersion()},
	} {
		checkArgv(t, tt.argv, nil, tt.generator, tt.name)
		if got, err := Version(process(t, tt.generator, tt.name)); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.generator, got, err, tt.want)
		}
	}
	if v, err := Version(process(t, "ping", "missing")); err == nil {
		t.Errorf("a program that is not there has the version %q", v)
	}
	if v, err := Version(process(t, "qperf", "refused")); err == nil {
		t.Errorf("a program that failed has the version %q", v)
	}
}

func TestInterior(t *testing.T) {
	start := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	life := probe.ProcessReport{Start: start, End: start.Add(10 * time.Second)}
	second := func(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }
	for _, tt := range []struct {
		name                 string
		lead, measured, tail time.Duration
		from, to             float64 // seconds; both 0: an error
	}{
		{"wherever it was", 0, 8 * time.Second, 0, 2, 8},
		{"known to begin late and to end early", time.Second, 8 * time.Second, 500 * time.Millisecond, 1.5, 9},
		{"all of it", 0, 10 * time.Second, 0, 0, 10},
		{"it may have been anywhere", 0, 5 * time.Second, 0, 0, 0},
		{"longer than the process", 3 * time.Second, 8 * time.Second, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := interior(life, tt.lead, tt.measured, tt.tail)
			if tt.to == 0 {
				if err == nil {
					t.Errorf("window %v, want an error", got)
				}
				return
			}
			if want := (sample.Window{Start: second(tt.from), End: second(tt.to)}); err != nil || got != want {
				t.Errorf("window %v, %v; want %v", got, err, want)
			}
		})
	}
}
