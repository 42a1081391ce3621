package scenario

import (
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe/openmetrics"
	"github.com/cnibench/cnibench/internal/stage"
)

// peerFact is the fact at which address the server saw its client.
const peerFact = "client as the server sees it"

// bulkFacts are what a reader must know to compare two trials of bulk load.
func bulkFacts(ran bulkRun, streams []load.Iperf3Stream, slack time.Duration) map[string]string {
	threads := 0
	for _, p := range ran.clients.Processes {
		threads += p.Threads
	}
	facts := map[string]string{
		"client":           ran.client.Words,
		"server":           ran.server.Words,
		"address":          ran.address.HostPort(stage.FirstPort),
		"client processes": fmt.Sprint(len(ran.clients.Processes)),
		"client threads":   fmt.Sprint(threads),
		"window slack":     slack.String(),
		"line rate":        ran.limit.String(),
	}
	maps.Copy(facts, ran.address.EntryFacts())
	facts["iperf3"] = streams[0].Client.Version
	if server := streams[0].Server; server != nil {
		facts["iperf3 of the server"], facts[peerFact] = server.Version, server.Peer
	}
	return facts
}

// keepThroughput writes what each stream's client saw over time, in the format
// of the probes' series.
func keepThroughput(b *stage.Bench, series string, streams []load.Iperf3Stream) error {
	family := openmetrics.Family{
		Name: openmetrics.ThroughputFamily, Type: openmetrics.Gauge, Unit: "bits_per_second",
		Help: "Mean over the interval that ends at the timestamp, as the generator's sender reports it, warm-up included.",
	}
	resent := openmetrics.Family{
		Name: openmetrics.RetransmitsFamily, Type: openmetrics.Gauge, Unit: "segments_per_second",
		Help: "TCP segments sent again, mean over the interval that ends at the timestamp, as the generator's sender counts them, warm-up included.",
	}
	for i, s := range streams {
		stream := fmt.Sprint(i + 1)
		points := openmetrics.Series{Labels: map[string]string{"stream": stream}}
		again := openmetrics.Series{Labels: map[string]string{"stream": stream}}
		timeline, err := s.Timeline()
		if err != nil {
			return err
		}
		for _, m := range timeline {
			points.Points = append(points.Points, openmetrics.Point{At: m.End, Value: m.BitsPerSecond})
			if m.Retransmits != nil {
				again.Points = append(again.Points, openmetrics.Point{At: m.End, Value: *m.Retransmits})
			}
		}
		family.Series = append(family.Series, points)
		if len(again.Points) > 0 {
			resent.Series = append(resent.Series, again)
		}
	}
	families := []openmetrics.Family{family}
	if len(resent.Series) > 0 {
		families = append(families, resent)
	}
	return b.KeepMetrics(series+"throughput", families)
}
