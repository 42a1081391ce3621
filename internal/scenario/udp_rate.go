package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/stage"
)

// offeredRate is a list by default: goodput and loss are a curve.
var offeredRate = parameter.Parameter{
	Name: "rate", Kind: parameter.Rate, Default: []string{"100Mbit", "500Mbit", "1Gbit"}, Min: "1Mbit", Max: "400Gbit",
	Help: "offered payload of all streams together, in each direction",
}

func init() {
	register(Scenario{
		Name:  "udp-rate",
		Title: "UDP goodput, loss and jitter at offered rates",
		Description: "UDP at a rate, open loop: senders do not slow down when datagrams are lost. iperf3 paces in bursts of a millisecond, " +
			"so that above about 1 Gbit/s a burst alone can fill a receiver's socket buffer; loss below a path's capacity is then the burst's, " +
			"and streams or window help. A sender that does not reach the rate is marked generator-limited. " + udpDescription,
		Metrics:    udpMetrics,
		Parameters: append(udpParameters(stage.PodIP, streams.With("1")), offeredRate),
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measureUDP(ctx, b, cell, cell.Parameters.Rate(offeredRate.Name))
		},
	})
}
