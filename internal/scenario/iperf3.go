package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/stage"
)

// iperf3Run is both ends' reports of one load.
type iperf3Run struct {
	client, server   stage.LoadEnd
	clients, servers probe.LoadReport
}

// runIperf3 starts the servers, waits until they listen, and runs the clients
// against their address.
func runIperf3(ctx context.Context, b *stage.Bench, client, server stage.LoadEnd, to stage.Address, l bulk) (iperf3Run, error) {
	ran := iperf3Run{client: client, server: server}
	serverSpec, clientSpec, err := l.specs(to)
	if err != nil {
		return ran, err
	}
	err = b.KeepJSON(l.series+"commands.json", map[string]any{
		"server": serverSpec, "client": clientSpec, "serverEnd": server.Words, "clientEnd": client.Words,
	})
	if err != nil {
		return ran, err
	}
	servers, err := stage.Open(ctx, "iperf3 server in "+server.Name, server.Run, "load", serverSpec)
	if err != nil {
		return ran, err
	}
	defer servers.Close()
	var ready probe.LoadReady
	if err := servers.Read(probe.FrameReady, &ready); err != nil {
		return ran, keepFailure(b, l.series+"server", err)
	}
	if ran.clients, err = runIperf3Clients(ctx, b, client, clientSpec, l); err != nil {
		return ran, err
	}
	if err := servers.Read(probe.FrameReport, &ran.servers); err != nil {
		return ran, keepFailure(b, l.series+"server", err)
	}
	return ran, keepReport(b, l.series+"server", ran.servers)
}

// runIperf3Clients runs the clients to their end. One that failed tells more
// than the server that waits for it, which is not asked then.
func runIperf3Clients(ctx context.Context, b *stage.Bench, client stage.LoadEnd, spec probe.LoadSpec, l bulk) (probe.LoadReport, error) {
	var report probe.LoadReport
	clients, err := stage.Open(ctx, "iperf3 client in "+client.Name, client.Run, "load", spec)
	if err != nil {
		return report, err
	}
	defer clients.Close()
	if err := clients.Read(probe.FrameReport, &report); err != nil {
		return report, keepFailure(b, l.series+"client", err)
	}
	if err := keepReport(b, l.series+"client", report); err != nil {
		return report, err
	}
	_, err = load.Iperf3Streams(report, probe.LoadReport{})
	if err == nil {
		return report, nil
	}
	var failed *load.Iperf3Error
	if errors.As(err, &failed) && failed.WindowRefused() {
		return report, &stage.UnsupportedError{Reason: fmt.Sprintf(
			"the nodes' net.core.rmem_max and net.core.wmem_max do not allow a window of %d bytes: half of that is needed (%v)", l.window, err)}
	}
	return report, fmt.Errorf("iperf3 client in %s: %w", client.Name, err)
}

// keepReport writes what the processes printed, one file each, and the rest.
func keepReport(b *stage.Bench, end string, report probe.LoadReport) error {
	report.Processes = slices.Clone(report.Processes)
	for i := range report.Processes {
		p := &report.Processes[i]
		b.Keep(fmt.Sprintf("iperf3-%s-%d.json", end, i+1), []byte(p.Stdout))
		if p.Stderr != "" {
			b.Keep(fmt.Sprintf("iperf3-%s-%d.stderr", end, i+1), []byte(p.Stderr))
		}
		// Files of their own have it.
		p.Stdout, p.Stderr = "", ""
	}
	return b.KeepJSON(end+".json", report)
}

func keepFailure(b *stage.Bench, end string, err error) error {
	var failed *stage.LoadError
	if errors.As(err, &failed) {
		return errors.Join(err, keepReport(b, end, failed.Report))
	}
	return err
}
