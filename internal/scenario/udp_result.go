package scenario

import (
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// evaluateUDP makes the measurement of a load over UDP.
func evaluateUDP(b *stage.Bench, ran bulkRun) (stage.Measurement, error) {
	streams, err := load.Iperf3Streams(ran.clients, ran.servers)
	if err != nil {
		return stage.Measurement{}, err
	}
	d, err := load.CombineIperf3UDP(streams)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := ran.limit.Check(stage.HeadersUDP, d.Forward, d.Reverse); err != nil {
		return stage.Measurement{}, err
	}
	if err := keepThroughput(b, ran.load.series, streams); err != nil {
		return stage.Measurement{}, err
	}
	m, ms := b.MeasureWindow(ran.load.series, d.Window, ran.samples)
	m.Lead(udpFigures(d, ran.load, ms, ran.unattributedBy(b)))
	m.Marks = append(m.Marks, ran.limit.Marks(stage.HeadersUDP, 0, d.Forward, d.Reverse)...)
	maps.Copy(m.Facts, bulkFacts(ran, streams, d.Slack))
	maps.Copy(m.Facts, map[string]string{
		"datagrams":     fmt.Sprint(d.Datagrams),
		"datagram size": fmt.Sprint(streams[0].Client.Datagrams.Size),
		// A receiver's buffer decides how much of a burst survives.
		"server sysctls": "net.core.rmem_default=" + ran.servers.Netns.Sysctls["net.core.rmem_default"],
		"client sysctls": "net.core.rmem_default=" + ran.clients.Netns.Sysctls["net.core.rmem_default"],
	})
	return m, nil
}

func udpFigures(d load.Iperf3Delivery, l bulk, ms stage.Machines, unattributed string) stage.Figures {
	f := stage.Figures{Values: []result.Value{
		{Metric: goodput, Value: d.Goodput},
		{Metric: sentRate, Value: d.Offered},
		{Metric: loss, Value: 100 * d.Loss()},
		{Metric: outOfOrder, Value: 100 * float64(d.OutOfOrder) / float64(d.Datagrams)},
	}}
	if d.Jitter != nil {
		f.Add(jitter, d.Jitter.Seconds())
	}
	if d.Forward > 0 && d.Reverse > 0 {
		f.Add(forwardGoodput, d.Forward)
		f.Add(reverseGoodput, d.Reverse)
	}
	f.Merge(stage.CostFigures(d.Goodput, ms, unattributed))
	limited := d.Limited
	if slow := belowRate(d.Offered, l); slow != "" {
		limited = append([]string{slow}, limited...)
	}
	f.Marks = append(f.Marks, stage.LimitedMarks(limited)...)
	return f
}

// paceTolerance is how far below its rate a sender may stay: iperf3 paces by a
// timer of a millisecond.
const paceTolerance = 0.02

// belowRate says so where the senders did not offer what they were asked for.
func belowRate(offered float64, l bulk) string {
	asked := l.rate
	if l.direction == "bidir" {
		asked *= 2
	}
	if offered >= asked*(1-paceTolerance) {
		return ""
	}
	return fmt.Sprintf("the senders offered %.4g Gbit/s of %.4g", offered/1e9, asked/1e9)
}
