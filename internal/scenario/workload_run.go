package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/workload"
)

// workloadRun is both ends' reports of a user's load. Without a server the
// server's is empty.
type workloadRun struct {
	pair           Pair
	client, server probe.ProcessReport
}

// runWorkload starts the server, waits until it listens, and runs the client
// to its end.
func (b *Bench) runWorkload(ctx context.Context, pair Pair, w workload.Workload, v parameter.Values, to workload.Target) (workloadRun, error) {
	ran := workloadRun{pair: pair}
	client, server, err := workloadSpecs(w, v, to)
	if err != nil {
		return ran, err
	}
	err = b.keepJSON("commands.json", map[string]any{
		"client": client, "server": server, "clientPod": pair.Client, "serverPod": pair.Server, "definition": w.Digest,
	})
	if err != nil {
		return ran, err
	}
	if w.Server == nil {
		ran.client, err = b.runClient(ctx, pair, client)
		return ran, err
	}
	serving, err := open(ctx, "server in "+pair.Server.Name, inPod(b.Cluster, pair.Server), "load", server)
	if err != nil {
		return ran, err
	}
	defer serving.close()
	var ready probe.LoadReady
	if err := serving.read(probe.FrameReady, &ready); err != nil {
		return ran, b.keepOutputOf("server", err)
	}
	var clientErr error
	ran.client, clientErr = b.runClient(ctx, pair, client)
	serving.close()
	var report probe.LoadReport
	if err := serving.read(probe.FrameReport, &report); err != nil {
		return ran, errors.Join(clientErr, err)
	}
	ran.server = report.Processes[0]
	return ran, errors.Join(clientErr, ran.serverDied(), b.keepOutput("server", ran.server))
}

// workloadSpecs are what the probe runs at both ends. Without a server its
// specification has no processes.
func workloadSpecs(w workload.Workload, v parameter.Values, to workload.Target) (client, server probe.LoadSpec, err error) {
	timeout := w.Duration(v) + loadGrace
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
		Processes: []probe.Process{{Argv: argv}}, Timeout: timeout + loadGrace, Listen: w.Server.Listen, Resident: true,
	}
	return client, server, nil
}

// runClient returns the report of a client that ended well.
func (b *Bench) runClient(ctx context.Context, pair Pair, spec probe.LoadSpec) (probe.ProcessReport, error) {
	session, err := open(ctx, "client in "+pair.Client.Name, inPod(b.Cluster, pair.Client), "load", spec)
	if err != nil {
		return probe.ProcessReport{}, err
	}
	defer session.close()
	var report probe.LoadReport
	if err := session.read(probe.FrameReport, &report); err != nil {
		return probe.ProcessReport{}, b.keepOutputOf("client", err)
	}
	p := report.Processes[0]
	if err := b.keepOutput("client", p); err != nil {
		return p, err
	}
	if end := unfinished(p); end != "" {
		return p, fmt.Errorf("client in %s: %s", pair.Client.Name, end)
	}
	return p, nil
}

// unfinished says in the program's own words why it did not end well; empty
// for one that did.
func unfinished(p probe.ProcessReport) string {
	var end string
	switch {
	case p.Error != "":
		end = "did not run: " + p.Error
	case p.TimedOut:
		end = "ran into its timeout"
	case p.Signal != "":
		end = "was ended by " + p.Signal
	case p.ExitCode != 0:
		end = fmt.Sprintf("exited with status %d", p.ExitCode)
	case p.Truncated:
		end = "wrote more than is kept"
	default:
		return ""
	}
	return p.Argv[0] + " " + end + lastWords(p)
}

// lastWords quotes the end of what a program wrote.
func lastWords(p probe.ProcessReport) string {
	text := strings.TrimSpace(p.Stderr)
	if text == "" {
		text = strings.TrimSpace(p.Stdout)
	}
	if text == "" {
		return ""
	}
	const longest = 300
	if runes := []rune(text); len(runes) > longest {
		text = "… " + string(runes[len(runes)-longest:])
	}
	return fmt.Sprintf(" (%q)", text)
}

// serverDied is an error when the server ended before the client did: it is
// killed only afterwards.
func (r workloadRun) serverDied() error {
	killed := r.server.Signal == "SIGKILL" && !r.server.TimedOut
	if killed && (r.client.End.IsZero() || !r.server.End.Before(r.client.End)) {
		return nil
	}
	how := unfinished(r.server)
	if how == "" {
		how = r.server.Argv[0] + " ended by itself" + lastWords(r.server)
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
