package scenario

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/result"
)

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
	summaries = b.perKernel(summaries)
	if err := b.keepJSON("summary.json", summaries); err != nil {
		return Measurement{}, err
	}
	m := Measurement{Window: result.Window(t.Window), Facts: tcpFacts(ran, streams, t, congestion)}
	m.Facts["attribution"] = b.attribution()
	if m.Values, m.Marks, err = tcpValues(t, summaries, b.unattributed() == ""); err != nil {
		return Measurement{}, err
	}
	resources, marks, err := b.resources(summaries)
	if err != nil {
		return Measurement{}, err
	}
	m.Values, m.Marks = append(m.Values, resources...), append(m.Marks, marks...)
	return m, nil
}

func tcpValues(t load.Iperf3Throughput, summaries map[string]probe.Summary, attributed bool) ([]result.Value, []result.Mark, error) {
	values := []result.Value{{Metric: throughput, Value: t.BitsPerSecond}}
	cost, marks, err := costValues(t, summaries, attributed)
	if err != nil {
		return nil, nil, err
	}
	values = append(values, cost...)
	if t.Retransmits != nil {
		values = append(values, result.Value{Metric: retransmits, Value: float64(*t.Retransmits) / t.Window.Duration().Seconds()})
	}
	if t.MeanRTT != nil {
		values = append(values, result.Value{Metric: rtt, Value: t.MeanRTT.Seconds()})
	}
	if len(t.Limited) > 0 {
		marks = append(marks, result.Mark{Name: "generator-limited", Detail: strings.Join(t.Limited, "; ")})
	}
	return values, marks, nil
}

// costValues are the CPU time per throughput, in all and without the load
// generator's share where that is known.
func costValues(t load.Iperf3Throughput, summaries map[string]probe.Summary, attributed bool) ([]result.Value, []result.Mark, error) {
	machines, busy := make([]probe.Summary, 0, len(summaries)), 0.0
	for node, s := range summaries {
		busy += s.Busy
		if _, err := group(s, node, groupLoad); attributed && err != nil {
			return nil, nil, err
		}
		machines = append(machines, s)
	}
	if !attributed {
		return []result.Value{{Metric: cpuPerGbit, Value: 1000 * busy / (t.BitsPerSecond / 1e9)}}, nil, nil
	}
	cost, err := probe.CPUEfficiency(t.BitsPerSecond, groupLoad, machines...)
	if err != nil {
		return nil, nil, err
	}
	values := []result.Value{{Metric: cpuPerGbit, Value: cost.All}}
	if cost.WithoutLoad > 0 {
		return append(values, result.Value{Metric: cpuPerGbitNet, Value: cost.WithoutLoad}), nil, nil
	}
	// Modes and control groups are counted by different clocks of the kernel.
	return values, []result.Mark{{Name: "below-resolution", Detail: cpuPerGbitNet.Name + ": the load generator's share is all that was busy, as exactly as the kernel counts"}}, nil
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
