package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
)

// iperf3Run is both ends' reports of one load.
type iperf3Run struct {
	pair             Pair
	clients, servers probe.LoadReport
}

// Time that connecting and the exchange of results may take beyond the load.
const loadGrace = 15 * time.Second

// runIperf3 starts the servers, waits until they listen, and runs the clients
// against them.
func (b *Bench) runIperf3(ctx context.Context, pair Pair, host string, cell plan.Cell) (iperf3Run, error) {
	serverSpec, clientSpec, err := iperf3Specs(host, cell)
	if err != nil {
		return iperf3Run{}, err
	}
	if err := b.keepJSON("commands.json", map[string]any{"server": serverSpec, "client": clientSpec, "serverPod": pair.Server, "clientPod": pair.Client}); err != nil {
		return iperf3Run{}, err
	}
	ran := iperf3Run{pair: pair}
	servers, err := open(ctx, "iperf3 server in "+pair.Server.Name, inPod(b.Cluster, pair.Server), "load", serverSpec)
	if err != nil {
		return ran, err
	}
	defer servers.close()
	var ready probe.LoadReady
	if err := servers.read(probe.FrameReady, &ready); err != nil {
		return ran, b.keepFailure("server", err)
	}
	clients, err := open(ctx, "iperf3 client in "+pair.Client.Name, inPod(b.Cluster, pair.Client), "load", clientSpec)
	if err != nil {
		return ran, err
	}
	defer clients.close()
	if err := clients.read(probe.FrameReport, &ran.clients); err != nil {
		return ran, b.keepFailure("client", err)
	}
	if err := b.keepReport("client", ran.clients); err != nil {
		return ran, err
	}
	// A client that failed tells more than the server that waits for it.
	if _, err := load.Iperf3Streams(ran.clients, probe.LoadReport{}); err != nil {
		return ran, fmt.Errorf("iperf3 client in %s: %w", pair.Client.Name, err)
	}
	if err := servers.read(probe.FrameReport, &ran.servers); err != nil {
		return ran, b.keepFailure("server", err)
	}
	return ran, b.keepReport("server", ran.servers)
}

func iperf3Specs(host string, cell plan.Cell) (server, client probe.LoadSpec, err error) {
	timeout := cell.Parameters.Duration("duration") + cell.Parameters.Duration("omit") + loadGrace
	server, client = probe.LoadSpec{Timeout: timeout}, probe.LoadSpec{Timeout: timeout}
	for i := range cell.Parameters.Integer("streams") {
		port := FirstPort + i
		serverArgv, err := load.Iperf3Server{Port: port, Interval: iperf3Interval(cell)}.Argv()
		if err != nil {
			return server, client, err
		}
		clientArgv, err := load.Iperf3Client{Host: host, Port: port, Duration: cell.Parameters.Duration("duration"), Omit: cell.Parameters.Duration("omit"), Interval: iperf3Interval(cell)}.Argv()
		if err != nil {
			return server, client, err
		}
		server.Processes = append(server.Processes, probe.Process{Argv: serverArgv})
		server.Listen = append(server.Listen, port)
		client.Processes = append(client.Processes, probe.Process{Argv: clientArgv})
	}
	return server, client, nil
}

func iperf3Interval(cell plan.Cell) time.Duration {
	return interval(cell.Parameters.Duration("duration"))
}

// keepReport writes what the processes printed, one file each, and the rest.
func (b *Bench) keepReport(end string, report probe.LoadReport) error {
	report.Processes = slices.Clone(report.Processes)
	for i := range report.Processes {
		p := &report.Processes[i]
		if err := b.keep(fmt.Sprintf("iperf3-%s-%d.json", end, i+1), []byte(p.Stdout)); err != nil {
			return err
		}
		if p.Stderr != "" {
			if err := b.keep(fmt.Sprintf("iperf3-%s-%d.stderr", end, i+1), []byte(p.Stderr)); err != nil {
				return err
			}
		}
		// Files of their own have it.
		p.Stdout, p.Stderr = "", ""
	}
	return b.keepJSON(end+".json", report)
}

func (b *Bench) keepFailure(end string, err error) error {
	var failed *loadError
	if errors.As(err, &failed) {
		return errors.Join(err, b.keepReport(end, failed.report))
	}
	return err
}
