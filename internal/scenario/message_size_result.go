package scenario

import (
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// evaluateMessageSize makes one measurement of both halves. Its window is that
// of the throughput; CPU of the other half is a metric of its own.
func evaluateMessageSize(b *stage.Bench, ran messageSizeRun) (stage.Measurement, error) {
	latency, latencyWindow, err := qperfHalf(ran.latency)
	if err != nil {
		return stage.Measurement{}, err
	}
	bandwidth, window, err := qperfHalf(ran.throughput)
	if err != nil {
		return stage.Measurement{}, err
	}
	congestion := ""
	if !ran.udp {
		if congestion, err = stage.SameCongestionControl(ran.throughput.Netns, ran.server.Netns); err != nil {
			return stage.Measurement{}, err
		}
	}
	_, calm := b.MeasureWindow("latency-", latencyWindow, ran.samples)
	m, ms := b.MeasureWindow("throughput-", window, ran.samples)
	f := stage.Figures{Values: messageSizeValues(ran.udp, latency, bandwidth), Marks: stage.BusyMarks("qperf", ran.throughput.Processes[0])}
	f.Merge(busy(calm, sizeLatencyCPU))
	f.Merge(stage.CostFigures(bandwidth.BitsPerSecond, ms, b.Unattributed()))
	m.Lead(f)
	maps.Copy(m.Facts, stage.GeneratorVersions(ran.throughput, ran.server))
	maps.Copy(m.Facts, map[string]string{
		"client": stage.EndWords(ran.pair.Client), "server": stage.EndWords(ran.pair.Server), "address": ran.to.HostPort(qperfPort),
		"latency window": latencyWindow.String(), "round trips": fmt.Sprint(latency.Received),
		"messages": fmt.Sprintf("%d sent, %d received", bandwidth.Sent, bandwidth.Received),
	})
	if !ran.udp {
		m.Facts["congestion control"] = congestion
	}
	return m, nil
}

func messageSizeValues(datagrams bool, latency, bandwidth load.QperfResult) []result.Value {
	values := []result.Value{
		{Metric: sizeThroughput, Value: bandwidth.BitsPerSecond},
		{Metric: sizeLatency, Value: latency.Latency.Seconds()},
	}
	if datagrams && bandwidth.Sent > 0 {
		// The ends' clocks start apart, so that slightly more may seem to
		// arrive than was sent.
		lost := 1 - float64(bandwidth.Received)/float64(bandwidth.Sent)
		values = append(values, result.Value{Metric: sizeLoss, Value: 100 * max(0, lost)})
	}
	return values
}

// qperfHalf reads one half's result and when it took place.
func qperfHalf(report probe.LoadReport) (load.QperfResult, sample.Window, error) {
	r, err := load.ParseQperf(report.Processes[0])
	if err != nil {
		return r, sample.Window{}, err
	}
	w, err := r.Window(report.Processes[0])
	return r, w, err
}

// busy is the busy CPU of all machines.
func busy(ms stage.Machines, metric result.Metric) stage.Figures {
	var f stage.Figures
	if ms.Unknown != "" {
		f.Lack(ms.Unknown, metric)
		return f
	}
	f.Add(metric, ms.TotalBusy())
	return f
}
