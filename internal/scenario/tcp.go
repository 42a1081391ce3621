package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

var tcpMetrics = []result.Metric{throughput, cpuPerGbit, cpuPerGbitNet, cpu, retransmits, rtt, cniCPU, cniMemory, memory}

// target says what address clients connect to.
type target int

const (
	toPod target = iota
	toService
)

// tcpScenario describes TCP bulk load by iperf3.
func tcpScenario(name, title string, streams int, to target, parameters ...string) Scenario {
	return Scenario{
		Name:       name,
		Title:      title,
		Metrics:    tcpMetrics,
		Parameters: append([]string{"duration", "omit", "placement"}, parameters...),
		Defaults:   Defaults{Duration: 10 * time.Second, Omit: 2 * time.Second, Streams: streams},
		Run: func(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
			return measureTCP(ctx, b, cell, to)
		},
	}
}

func measureTCP(ctx context.Context, b *Bench, cell plan.Cell, to target) (Measurement, error) {
	pair, err := b.Stage.Pair(ctx, cell.Placement)
	if err != nil {
		return Measurement{}, err
	}
	host := pair.Server.IP
	if to == toService {
		if host, err = b.Stage.Service(ctx, pair, cell.Streams); err != nil {
			return Measurement{}, err
		}
	}
	sampling, err := b.startSampling(ctx, cell.Duration, pair.Client, pair.Server)
	if err != nil {
		return Measurement{}, err
	}
	ran, err := b.runIperf3(ctx, pair, host, cell)
	if err != nil {
		sampling.cancel()
		return Measurement{}, err
	}
	series, err := sampling.stop()
	if err != nil {
		return Measurement{}, err
	}
	return b.evaluateTCP(ran, series)
}

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
	timeout := cell.Duration + cell.Omit + loadGrace
	server, client = probe.LoadSpec{Timeout: timeout}, probe.LoadSpec{Timeout: timeout}
	for i := range cell.Streams {
		port := FirstPort + i
		serverArgv, err := load.Iperf3Server{Port: port, Interval: iperf3Interval(cell)}.Argv()
		if err != nil {
			return server, client, err
		}
		clientArgv, err := load.Iperf3Client{Host: host, Port: port, Duration: cell.Duration, Omit: cell.Omit, Interval: iperf3Interval(cell)}.Argv()
		if err != nil {
			return server, client, err
		}
		server.Processes = append(server.Processes, probe.Process{Argv: serverArgv})
		server.Listen = append(server.Listen, port)
		client.Processes = append(client.Processes, probe.Process{Argv: clientArgv})
	}
	return server, client, nil
}

func iperf3Interval(cell plan.Cell) time.Duration { return interval(cell.Duration) }

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

func (b *Bench) evaluateTCP(ran iperf3Run, series map[string]probe.Series) (Measurement, error) {
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return Measurement{}, err
	}
	t, err := load.CombineIperf3(streams)
	if err != nil {
		return Measurement{}, err
	}
	congestion, err := t.CongestionControl()
	if err != nil {
		return Measurement{}, &InvalidError{err.Error()}
	}
	if err := b.keepThroughput(streams); err != nil {
		return Measurement{}, err
	}
	summaries, err := summarize(series, t.Window)
	if err != nil {
		return Measurement{}, err
	}
	if err := b.keepJSON("summary.json", summaries); err != nil {
		return Measurement{}, err
	}
	m := Measurement{Window: result.Window(t.Window), Facts: tcpFacts(ran, streams, t, congestion)}
	if m.Values, m.Marks, err = tcpValues(t, summaries); err != nil {
		return Measurement{}, err
	}
	resources, marks, err := resourceValues(summaries, b.Entry.Plugin.Agents != "")
	if err != nil {
		return Measurement{}, err
	}
	m.Values, m.Marks = append(m.Values, resources...), append(m.Marks, marks...)
	return m, nil
}

func tcpValues(t load.Iperf3Throughput, summaries map[string]probe.Summary) ([]result.Value, []result.Mark, error) {
	machines := make([]probe.Summary, 0, len(summaries))
	for node, s := range summaries {
		if _, err := group(s, node, groupLoad); err != nil {
			return nil, nil, err
		}
		machines = append(machines, s)
	}
	cost, err := probe.CPUEfficiency(t.BitsPerSecond, groupLoad, machines...)
	if err != nil {
		return nil, nil, err
	}
	values := []result.Value{
		{Metric: throughput, Value: t.BitsPerSecond},
		{Metric: cpuPerGbit, Value: cost.All},
		{Metric: cpuPerGbitNet, Value: cost.WithoutLoad},
	}
	if t.Retransmits != nil {
		values = append(values, result.Value{Metric: retransmits, Value: float64(*t.Retransmits) / t.Window.Duration().Seconds()})
	}
	if t.MeanRTT != nil {
		values = append(values, result.Value{Metric: rtt, Value: t.MeanRTT.Seconds()})
	}
	var marks []result.Mark
	if len(t.Limited) > 0 {
		marks = append(marks, result.Mark{Name: "generator-limited", Detail: strings.Join(t.Limited, "; ")})
	}
	return values, marks, nil
}

// tcpFacts are what a reader must know to compare two trials.
func tcpFacts(ran iperf3Run, streams []load.Iperf3Stream, t load.Iperf3Throughput, congestion string) map[string]string {
	first := streams[0].Client
	threads := 0
	for _, p := range ran.clients.Processes {
		threads += p.Threads
	}
	return map[string]string{
		"congestion control": congestion,
		"iperf3":             first.Version,
		"client":             end(ran.pair.Client),
		"server":             end(ran.pair.Server),
		"client processes":   fmt.Sprint(len(ran.clients.Processes)),
		"client threads":     fmt.Sprint(threads),
		"mss":                fmt.Sprint(first.MSS),
		"path MTU":           fmt.Sprint(first.PathMTU),
		"window slack":       t.Slack.String(),
		"bytes counted at":   map[bool]string{true: "receiver", false: "sender, scaled to the receiver's total"}[t.FromReceiver],
		"client sysctls":     sysctlLine(ran.clients.Netns),
		"server sysctls":     sysctlLine(ran.servers.Netns),
	}
}

func end(p cluster.Pod) string {
	kind := "pod"
	if p.HostNetwork {
		kind = "host-network pod"
	}
	return fmt.Sprintf("%s %s on %s", kind, p.IP, p.Node)
}

func sysctlLine(n probe.Netns) string {
	return "net.ipv4.tcp_congestion_control=" + n.Sysctls["net.ipv4.tcp_congestion_control"]
}

// keepThroughput writes what each stream's client saw over time, in the format
// of the probes' series.
func (b *Bench) keepThroughput(streams []load.Iperf3Stream) error {
	family := openmetrics.Family{
		Name: "cnibench_throughput_bits_per_second", Type: openmetrics.Gauge, Unit: "bits_per_second",
		Help: "Mean over the interval that ends at the timestamp, as the generator's sender reports it, warm-up included.",
	}
	for i, s := range streams {
		points := openmetrics.Series{Labels: map[string]string{"stream": fmt.Sprint(i + 1)}}
		timeline, err := s.Timeline()
		if err != nil {
			return err
		}
		for _, m := range timeline {
			points.Points = append(points.Points, openmetrics.Point{At: m.End, Value: m.BitsPerSecond})
		}
		family.Series = append(family.Series, points)
	}
	return b.keepMetrics("throughput", []openmetrics.Family{family})
}
