package scenario

import (
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// evaluateMessageSize makes one measurement of both halves. Its window is that
// of the throughput; CPU of the other half is a metric of its own.
func (b *Bench) evaluateMessageSize(ran messageSizeRun) (Measurement, error) {
	latency, latencyWindow, err := qperfHalf(ran.latency)
	if err != nil {
		return Measurement{}, err
	}
	bandwidth, window, err := qperfHalf(ran.throughput)
	if err != nil {
		return Measurement{}, err
	}
	congestion := ""
	if !ran.udp {
		if congestion, err = sameCongestionControl(ran.throughput.Netns, ran.server.Netns); err != nil {
			return Measurement{}, err
		}
	}
	_, calm := b.measureWindow("latency-", latencyWindow, ran.samples)
	m, ms := b.measureWindow("throughput-", window, ran.samples)
	f := figures{values: messageSizeValues(ran.udp, latency, bandwidth), marks: busyMarks("qperf", ran.throughput.Processes[0])}
	f.merge(calm.busy(sizeLatencyCPU))
	f.merge(costFigures(bandwidth.BitsPerSecond, ms, b.unattributed()))
	m.lead(f)
	maps.Copy(m.Facts, generatorVersions(ran.throughput, ran.server))
	maps.Copy(m.Facts, map[string]string{
		"client": endWords(ran.pair.Client), "server": endWords(ran.pair.Server), "address": ran.to.HostPort(qperfPort),
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
func (ms machines) busy(metric result.Metric) figures {
	var f figures
	if ms.unknown != "" {
		f.lack(ms.unknown, metric)
		return f
	}
	f.add(metric, ms.totalBusy())
	return f
}
