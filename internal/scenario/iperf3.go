package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
)

// loadEnd is where one end of a load runs.
type loadEnd struct {
	name  string // of the pod or machine, for errors
	words string // the end in words, for facts
	run   runner
}

func podEnd(c *cluster.Cluster, pod cluster.Pod) loadEnd {
	return loadEnd{pod.Name, endWords(pod), inPod(c, pod)}
}

// endWords describes a pod as an end of a load.
func endWords(p cluster.Pod) string {
	kind := "pod"
	if p.HostNetwork {
		kind = "host-network pod"
	}
	return fmt.Sprintf("%s %s on %s", kind, p.IP, p.Node)
}

// iperf3Run is both ends' reports of one load.
type iperf3Run struct {
	client, server   loadEnd
	clients, servers probe.LoadReport
}

// runIperf3 starts the servers, waits until they listen, and runs the clients
// against their address.
func (b *Bench) runIperf3(ctx context.Context, client, server loadEnd, to Address, l bulk) (iperf3Run, error) {
	ran := iperf3Run{client: client, server: server}
	serverSpec, clientSpec, err := l.specs(to)
	if err != nil {
		return ran, err
	}
	err = b.keepJSON(l.series+"commands.json", map[string]any{
		"server": serverSpec, "client": clientSpec, "serverEnd": server.words, "clientEnd": client.words,
	})
	if err != nil {
		return ran, err
	}
	servers, err := open(ctx, "iperf3 server in "+server.name, server.run, "load", serverSpec)
	if err != nil {
		return ran, err
	}
	defer servers.close()
	var ready probe.LoadReady
	if err := servers.read(probe.FrameReady, &ready); err != nil {
		return ran, b.keepFailure(l.series+"server", err)
	}
	if ran.clients, err = b.runIperf3Clients(ctx, client, clientSpec, l); err != nil {
		return ran, err
	}
	if err := servers.read(probe.FrameReport, &ran.servers); err != nil {
		return ran, b.keepFailure(l.series+"server", err)
	}
	return ran, b.keepReport(l.series+"server", ran.servers)
}

// runIperf3Clients runs the clients to their end. One that failed tells more
// than the server that waits for it, which is not asked then.
func (b *Bench) runIperf3Clients(ctx context.Context, client loadEnd, spec probe.LoadSpec, l bulk) (probe.LoadReport, error) {
	var report probe.LoadReport
	clients, err := open(ctx, "iperf3 client in "+client.name, client.run, "load", spec)
	if err != nil {
		return report, err
	}
	defer clients.close()
	if err := clients.read(probe.FrameReport, &report); err != nil {
		return report, b.keepFailure(l.series+"client", err)
	}
	if err := b.keepReport(l.series+"client", report); err != nil {
		return report, err
	}
	_, err = load.Iperf3Streams(report, probe.LoadReport{})
	if err == nil {
		return report, nil
	}
	var failed *load.Iperf3Error
	if errors.As(err, &failed) && failed.WindowRefused() {
		return report, &UnsupportedError{fmt.Sprintf(
			"the nodes' net.core.rmem_max and net.core.wmem_max do not allow a window of %d bytes: half of that is needed (%v)", l.window, err)}
	}
	return report, fmt.Errorf("iperf3 client in %s: %w", client.name, err)
}

// keepReport writes what the processes printed, one file each, and the rest.
func (b *Bench) keepReport(end string, report probe.LoadReport) error {
	report.Processes = slices.Clone(report.Processes)
	for i := range report.Processes {
		p := &report.Processes[i]
		b.keep(fmt.Sprintf("iperf3-%s-%d.json", end, i+1), []byte(p.Stdout))
		if p.Stderr != "" {
			b.keep(fmt.Sprintf("iperf3-%s-%d.stderr", end, i+1), []byte(p.Stderr))
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
