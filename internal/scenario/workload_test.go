package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/workload"
	"github.com/cnibench/cnibench/internal/stage"
)

// echoWorkload has a server and one parameter of its own.
func echoWorkload() workload.Workload {
	return workload.Workload{
		Name: "own-echo", Title: "echo", Digest: "sha256:1", Requires: []string{"dns"},
		Parameters: []parameter.Parameter{duration},
		Server:     &workload.Server{Command: []string{"serve"}, Listen: []int{7000}},
		Client:     workload.Client{Command: []string{"call", "${address}", "${duration.seconds}"}},
		Values:     []workload.Value{{Metric: result.Metric{Name: "calls"}, Factor: 1}},
	}
}

func TestSet(t *testing.T) {
	all, err := Set{}.With(echoWorkload())
	if err != nil {
		t.Fatal(err)
	}
	own, err := all.Find("own-echo")
	if err != nil || own.Definition != "sha256:1" || !own.Requires.DNS || own.Metrics[0].Name != "calls" {
		t.Errorf("%+v, %v", own, err)
	}
	var names []string
	for _, p := range own.Parameters {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"duration", "placement", "client", "server", "path", "cpuset", "numa"}, names); diff != "" {
		t.Error(diff)
	}
	if _, err := all.Find("idle"); err != nil {
		t.Error(err)
	}
	if len(all.All()) != len(All())+1 {
		t.Errorf("%d scenarios", len(all.All()))
	}
	if _, err := (Set{}).Find("own-echo"); err == nil {
		t.Error("a set without it has it")
	}
	// Neither a name of cnibench's nor one twice.
	taken := echoWorkload()
	taken.Name = "idle"
	for _, w := range []workload.Workload{taken, echoWorkload()} {
		if _, err := all.With(w); err == nil {
			t.Errorf("%s was taken twice", w.Name)
		}
	}
}

func TestWorkloadSpecs(t *testing.T) {
	client, server, err := workloadSpecs(echoWorkload(), parameter.Values{"duration": "20s"}, workload.Target{Host: "10.0.0.9", Ports: []int{7000}})
	if err != nil {
		t.Fatal(err)
	}
	wantClient := probe.LoadSpec{Processes: []probe.Process{{Argv: []string{"call", "10.0.0.9", "20"}}}, Timeout: 35 * time.Second}
	wantServer := probe.LoadSpec{
		Processes: []probe.Process{{Argv: []string{"serve"}}}, Timeout: 50 * time.Second, Listen: []int{7000}, Resident: true,
	}
	if diff := cmp.Diff(wantClient, client) + cmp.Diff(wantServer, server); diff != "" {
		t.Error(diff)
	}
}

// A server is killed when the client is done, and must have lived until then.
func TestWorkloadServerDied(t *testing.T) {
	done := time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC)
	serve := probe.ProcessReport{Argv: []string{"serve"}, ExitCode: -1, Signal: "SIGKILL", End: done.Add(time.Second)}
	early, crashed, timedOut := serve, serve, serve
	early.Signal, early.ExitCode = "", 0
	crashed.Signal, crashed.Stderr, crashed.End = "SIGSEGV", "oops", done.Add(-time.Second)
	timedOut.TimedOut = true
	for _, tt := range []struct {
		server probe.ProcessReport
		want   string
	}{
		{serve, ""},
		{early, "server in s: serve ended by itself, before it was told to"},
		{crashed, `server in s: serve was ended by SIGSEGV ("oops"), before it was told to`},
		{timedOut, "server in s: serve ran into its timeout, before it was told to"},
	} {
		ran := workloadRun{pair: stage.Pair{Server: cluster.Pod{Name: "s"}}, client: probe.ProcessReport{End: done}, server: tt.server}
		err := ran.serverDied()
		if (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}
