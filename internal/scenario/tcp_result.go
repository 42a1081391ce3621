package scenario

import (
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// evaluateTCP makes the measurement of a load over TCP.
func (b *Bench) evaluateTCP(ran bulkRun) (Measurement, error) {
	streams, t, err := combineTCP(ran.iperf3Run)
	if err != nil {
		return Measurement{}, err
	}
	congestion, err := t.CongestionControl()
	if err != nil {
		return Measurement{}, &InvalidError{err.Error()}
	}
	if err := ran.limit.check(headersTCP, t.Forward, t.Reverse); err != nil {
		return Measurement{}, err
	}
	if err := b.keepThroughput(ran.load.series, streams); err != nil {
		return Measurement{}, err
	}
	m, summaries, err := b.measureWindow(ran.load.series, t.Window, ran.samples)
	if err != nil {
		return Measurement{}, err
	}
	values, marks, err := tcpValues(t, summaries, !ran.outsidePods && b.unattributed() == "")
	if err != nil {
		return Measurement{}, err
	}
	m.Values, m.Marks = append(values, m.Values...), append(marks, m.Marks...)
	maps.Copy(m.Facts, bulkFacts(ran, streams, t.Slack))
	maps.Copy(m.Facts, tcpFacts(ran, streams, t, congestion))
	return m, nil
}

// combineTCP makes one result of what both ends reported.
func combineTCP(ran iperf3Run) ([]load.Iperf3Stream, load.Iperf3Throughput, error) {
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return nil, load.Iperf3Throughput{}, err
	}
	t, err := load.CombineIperf3(streams)
	return streams, t, err
}

func tcpValues(t load.Iperf3Throughput, summaries map[string]sample.Summary, attributed bool) ([]result.Value, []result.Mark, error) {
	values := []result.Value{{Metric: throughput, Value: t.BitsPerSecond}}
	cost, marks, err := costValues(t.BitsPerSecond, summaries, attributed)
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
	if t.Forward > 0 && t.Reverse > 0 {
		values = append(values, result.Value{Metric: forwardThroughput, Value: t.Forward}, result.Value{Metric: reverseThroughput, Value: t.Reverse})
	}
	return values, append(marks, limitedMarks(t.Limited)...), nil
}

// tcpFacts are what a reader must know of TCP to compare two trials.
func tcpFacts(ran bulkRun, streams []load.Iperf3Stream, t load.Iperf3Throughput, congestion string) map[string]string {
	first := streams[0].Client
	return map[string]string{
		"congestion control": congestion,
		"mss":                fmt.Sprint(first.MSS),
		"path MTU":           fmt.Sprint(first.PathMTU),
		"bytes counted at":   map[bool]string{true: "receiver", false: "sender, scaled to the receiver's total"}[t.FromReceiver],
		"client sysctls":     sysctlLine(ran.clients.Netns),
		"server sysctls":     sysctlLine(ran.servers.Netns),
	}
}

func sysctlLine(n probe.Netns) string {
	return "net.ipv4.tcp_congestion_control=" + n.Sysctls["net.ipv4.tcp_congestion_control"]
}
