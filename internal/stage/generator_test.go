package stage

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

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

func TestExplainGenerator(t *testing.T) {
	b := &Bench{Raw: t.TempDir()}
	if !strings.Contains(exec.ErrNotFound.Error(), ProgramNotFound) {
		t.Errorf("the look-up of a program says %q", exec.ErrNotFound)
	}
	var unsupported *UnsupportedError
	missing := &LoadError{"netperf in client", probe.LoadReport{Reason: `starting netperf: exec: "netperf": executable file not found in $PATH`}}
	if err := b.explainGenerator("client", "netperf", missing); !errors.As(err, &unsupported) || unsupported.Reason != "the load image has no netperf" {
		t.Errorf("a missing program: %v", err)
	}
	broken := &LoadError{"netperf in client", probe.LoadReport{Reason: "netserver exited with status 1"}}
	if err := b.explainGenerator("server", "netperf", broken); errors.As(err, &unsupported) || !errors.Is(err, broken) {
		t.Errorf("a program that failed: %v", err)
	}
	for _, name := range []string{"client.json", "server.json"} {
		if _, err := os.Stat(filepath.Join(b.Raw, name)); err != nil {
			t.Errorf("the evidence is not kept: %v", err)
		}
	}
}

func TestDiedBefore(t *testing.T) {
	end := time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		p    probe.ProcessReport
		want string // a part; empty: it lived long enough
	}{
		{"killed afterwards", probe.ProcessReport{Signal: "SIGKILL", End: end.Add(time.Second)}, ""},
		{"killed too early", probe.ProcessReport{Signal: "SIGKILL", End: end.Add(-time.Second)}, "was ended by SIGKILL, before it was told to"},
		{"crashed", probe.ProcessReport{Signal: "SIGSEGV", End: end.Add(time.Second)}, "SIGSEGV"},
		{"gave up", probe.ProcessReport{ExitCode: 1, Stderr: "address in use", End: end}, "exited with status 1"},
		{"ended well", probe.ProcessReport{Stdout: "bye", End: end}, `ended by itself ("bye")`},
		{"ran into its timeout", probe.ProcessReport{Signal: "SIGKILL", TimedOut: true, End: end.Add(time.Hour)}, "timeout"},
	} {
		tt.p.Argv = []string{"qperf"}
		got := diedBefore(tt.p, end)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSameCongestionControl(t *testing.T) {
	network := func(algorithm string) probe.Netns {
		return probe.Netns{Sysctls: map[string]string{"net.ipv4.tcp_congestion_control": algorithm}}
	}
	if got, err := SameCongestionControl(network("cubic"), network("cubic")); got != "cubic" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	var invalid *InvalidError
	if _, err := SameCongestionControl(network("cubic"), network("bbr")); !errors.As(err, &invalid) {
		t.Errorf("ends that differ: %v", err)
	}
}

func TestGeneratorVersions(t *testing.T) {
	client := probe.LoadReport{First: generatorReport(t, "qperf", "version").Processes}
	server := probe.LoadReport{First: generatorReport(t, "qperf", "refused").Processes}
	facts := GeneratorVersions(client, server)
	if facts["client version"] != "qperf 0.4.11" || !strings.HasPrefix(facts["server version"], "unknown: ") {
		t.Errorf("facts %v", facts)
	}
}

// An end that did not do its part fails the trial in its own words.
func TestUnfinished(t *testing.T) {
	for _, tt := range []struct {
		p    probe.ProcessReport
		want string
	}{
		{probe.ProcessReport{Argv: []string{"call"}, Stdout: "fine"}, ""},
		{probe.ProcessReport{Argv: []string{"call"}, ExitCode: 3, Stderr: "no route\n", Stdout: "x"}, `call exited with status 3 ("no route")`},
		{probe.ProcessReport{Argv: []string{"call"}, ExitCode: -1, Signal: "SIGSEGV", Stdout: "half"}, `call was ended by SIGSEGV ("half")`},
		{probe.ProcessReport{Argv: []string{"call"}, ExitCode: -1, Signal: "SIGKILL", TimedOut: true}, "call ran into its timeout"},
		{probe.ProcessReport{Argv: []string{"call"}, ExitCode: -1, Error: "not found"}, "call did not run: not found"},
		{probe.ProcessReport{Argv: []string{"call"}, Truncated: true}, "call wrote more than is kept"},
	} {
		if got := Unfinished(tt.p); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
