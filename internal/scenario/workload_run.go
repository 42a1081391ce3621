package scenario

import (
	"context"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/workload"
	"github.com/cnibench/cnibench/internal/stage"
)

// workloadRun is both ends' reports of a user's load. Without a server the
// server's is empty.
type workloadRun struct {
	pair           stage.Pair
	client, server probe.ProcessReport
}

// runWorkload starts the server, waits until it listens, and runs the client
// to its end.
func runWorkload(ctx context.Context, b *stage.Bench, pair stage.Pair, w workload.Workload, v parameter.Values, to workload.Target) (workloadRun, error) {
	ran := workloadRun{pair: pair}
	client, server, err := workloadSpecs(w, v, to)
	if err != nil {
		return ran, err
	}
	err = b.KeepJSON("commands.json", map[string]any{
		"client": client, "server": server, "clientPod": pair.Client, "serverPod": pair.Server, "definition": w.Digest,
	})
	if err != nil {
		return ran, err
	}
	if w.Server == nil {
		ran.client, err = runClient(ctx, b, pair, client)
		return ran, err
	}
	serving, err := stage.Open(ctx, "server in "+pair.Server.Name, stage.ProbeInPod(b.Cluster, pair.Server), "load", server)
	if err != nil {
		return ran, err
	}
	defer serving.Close()
	var ready probe.LoadReady
	if err := serving.Read(probe.FrameReady, &ready); err != nil {
		return ran, keepOutputOf(b, "server", err)
	}
	var clientErr error
	ran.client, clientErr = runClient(ctx, b, pair, client)
	serving.Close()
	var report probe.LoadReport
	if err := serving.Read(probe.FrameReport, &report); err != nil {
		return ran, errors.Join(clientErr, err)
	}
	ran.server = report.Processes[0]
	return ran, errors.Join(clientErr, ran.serverDied(), keepOutput(b, "server", ran.server))
}

// workloadSpecs are what the probe runs at both ends. Without a server its
// specification has no processes.
func workloadSpecs(w workload.Workload, v parameter.Values, to workload.Target) (client, server probe.LoadSpec, err error) {
	timeout := w.Duration(v) + stage.LoadGrace
	argv, err := w.ClientArgv(v, to)
	if err != nil {
		return client, server, err
	}
	client = probe.LoadSpec{Processes: []probe.Process{{Argv: argv}}, Timeout: timeout}
	if w.Server == nil {
		return client, server, nil
	}
	if argv, err = w.ServerArgv(v); err != nil {
		return client, server, err
	}
	server = probe.LoadSpec{
		// The client's timeout tells more than the server's.
		Processes: []probe.Process{{Argv: argv}}, Timeout: timeout + stage.LoadGrace, Listen: w.Server.Listen, Resident: true,
	}
	return client, server, nil
}

// runClient returns the report of a client that ended well.
func runClient(ctx context.Context, b *stage.Bench, pair stage.Pair, spec probe.LoadSpec) (probe.ProcessReport, error) {
	session, err := stage.Open(ctx, "client in "+pair.Client.Name, stage.ProbeInPod(b.Cluster, pair.Client), "load", spec)
	if err != nil {
		return probe.ProcessReport{}, err
	}
	defer session.Close()
	var report probe.LoadReport
	if err := session.Read(probe.FrameReport, &report); err != nil {
		return probe.ProcessReport{}, keepOutputOf(b, "client", err)
	}
	p := report.Processes[0]
	if err := keepOutput(b, "client", p); err != nil {
		return p, err
	}
	if end := stage.Unfinished(p); end != "" {
		return p, fmt.Errorf("client in %s: %s", pair.Client.Name, end)
	}
	return p, nil
}

// serverDied is an error when the server ended before the client did: it is
// killed only afterwards.
func (r workloadRun) serverDied() error {
	killed := r.server.Signal == "SIGKILL" && !r.server.TimedOut
	if killed && (r.client.End.IsZero() || !r.server.End.Before(r.client.End)) {
		return nil
	}
	how := stage.Unfinished(r.server)
	if how == "" {
		how = r.server.Argv[0] + " ended by itself" + stage.LastWords(r.server)
	}
	return fmt.Errorf("server in %s: %s, before it was told to", r.pair.Server.Name, how)
}

// generatorLimit is the share of a core from which on the busiest thread of a
// generator is what was measured.
const generatorLimit = 0.95

func (r workloadRun) busiest() []string {
	var busy []string
	for _, end := range []struct {
		name string
		p    probe.ProcessReport
	}{{"client", r.client}, {"server", r.server}} {
		if end.p.BusiestThread >= generatorLimit {
			busy = append(busy, fmt.Sprintf("a thread of the %s was on a CPU for %.0f %% of the time", end.name, 100*end.p.BusiestThread))
		}
	}
	return busy
}
