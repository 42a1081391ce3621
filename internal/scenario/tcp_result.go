package scenario

import (
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// evaluateTCP makes the measurement of a load over TCP.
func evaluateTCP(b *stage.Bench, ran bulkRun) (stage.Measurement, error) {
	streams, t, err := combineTCP(ran.iperf3Run)
	if err != nil {
		return stage.Measurement{}, err
	}
	congestion, err := t.CongestionControl()
	if err != nil {
		return stage.Measurement{}, &stage.InvalidError{Reason: err.Error()}
	}
	if err := ran.limit.Check(stage.HeadersTCP, t.Forward, t.Reverse); err != nil {
		return stage.Measurement{}, err
	}
	if err := keepThroughput(b, ran.load.series, streams); err != nil {
		return stage.Measurement{}, err
	}
	m, ms := b.MeasureWindow(ran.load.series, t.Window, ran.samples)
	m.Lead(tcpFigures(t, ms, ran.unattributedBy(b)))
	m.Marks = append(m.Marks, ran.limit.Marks(stage.HeadersTCP, streams[0].Client.PathMTU, t.Forward, t.Reverse)...)
	maps.Copy(m.Facts, bulkFacts(ran, streams, t.Slack))
	maps.Copy(m.Facts, tcpFacts(ran, streams, t, congestion))
	trips, facts, err := b.NICFigures(ran.load.series, ran.nic, t.Window)
	if err != nil {
		return stage.Measurement{}, err
	}
	m.Follow(trips)
	maps.Copy(m.Facts, facts)
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

func tcpFigures(t load.Iperf3Throughput, ms stage.Machines, unattributed string) stage.Figures {
	f := stage.Figures{Values: []result.Value{{Metric: throughput, Value: t.BitsPerSecond}}}
	f.Merge(stage.CostFigures(t.BitsPerSecond, ms, unattributed))
	if t.Retransmits != nil {
		f.Add(retransmits, float64(*t.Retransmits)/t.Window.Duration().Seconds())
	}
	if t.MeanRTT != nil {
		f.Add(rtt, t.MeanRTT.Seconds())
	}
	if t.Forward > 0 && t.Reverse > 0 {
		f.Add(forwardThroughput, t.Forward)
		f.Add(reverseThroughput, t.Reverse)
	}
	f.Marks = append(f.Marks, stage.LimitedMarks(t.Limited)...)
	return f
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
