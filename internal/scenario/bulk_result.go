package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// measureWindow cuts the samples to the window of a load, and makes a
// measurement that has the resources alone.
func (b *Bench) measureWindow(series string, w sample.Window, samples map[string]sample.Series) (Measurement, map[string]sample.Summary, error) {
	summaries, err := summarize(samples, w)
	if err != nil {
		return Measurement{}, nil, err
	}
	summaries = b.perKernel(summaries)
	if err := b.keepJSON(series+"summary.json", summaries); err != nil {
		return Measurement{}, nil, err
	}
	m := Measurement{Window: result.Window(w), Facts: map[string]string{"attribution": b.attribution()}}
	m.Values, m.Marks, err = b.resources(summaries)
	return m, summaries, err
}

// costValues are the CPU time per throughput, in all and without the load
// generator's share where that is known.
func costValues(bitsPerSecond float64, summaries map[string]sample.Summary, attributed bool) ([]result.Value, []result.Mark, error) {
	machines, busy := make([]sample.Summary, 0, len(summaries)), 0.0
	for node, s := range summaries {
		busy += s.Busy
		if _, err := group(s, node, groupLoad); attributed && err != nil {
			return nil, nil, err
		}
		machines = append(machines, s)
	}
	if !attributed {
		return []result.Value{{Metric: cpuPerGbit, Value: 1000 * busy / (bitsPerSecond / 1e9)}}, nil, nil
	}
	cost, err := sample.CPUEfficiency(bitsPerSecond, groupLoad, machines...)
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

// limitedMarks say that the load generator, and not the network, was at its
// limit.
func limitedMarks(limited []string) []result.Mark {
	if len(limited) == 0 {
		return nil
	}
	return []result.Mark{{Name: "generator-limited", Detail: strings.Join(limited, "; ")}}
}

// bulkFacts are what a reader must know to compare two trials of bulk load.
func bulkFacts(ran bulkRun, streams []load.Iperf3Stream, slack time.Duration) map[string]string {
	threads := 0
	for _, p := range ran.clients.Processes {
		threads += p.Threads
	}
	facts := map[string]string{
		"client":           ran.client.words,
		"server":           ran.server.words,
		"address":          ran.address.HostPort(FirstPort),
		"client processes": fmt.Sprint(len(ran.clients.Processes)),
		"client threads":   fmt.Sprint(threads),
		"window slack":     slack.String(),
		"line rate":        ran.limit.String(),
	}
	facts["iperf3"] = streams[0].Client.Version
	if server := streams[0].Server; server != nil {
		facts["iperf3 of the server"], facts["client as the server sees it"] = server.Version, server.Peer
	}
	return facts
}

// keepThroughput writes what each stream's client saw over time, in the format
// of the probes' series.
func (b *Bench) keepThroughput(series string, streams []load.Iperf3Stream) error {
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
	return b.keepMetrics(series+"throughput", []openmetrics.Family{family})
}
