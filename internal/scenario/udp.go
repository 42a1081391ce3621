package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var udpMetrics = []result.Metric{
	goodput, sentRate, loss, jitter, outOfOrder, stage.CPUPerGbit, stage.CPUPerGbitNet, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory, forwardGoodput, reverseGoodput,
}

// Metrics of UDP bulk load.
var (
	goodput = result.Metric{Name: "goodput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "payload that the receivers got, all streams, after the warm-up"}
	sentRate = result.Metric{Name: "offered-rate", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "payload that the senders handed to their kernels in the same time"}
	loss = result.Metric{Name: "loss", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "datagrams that did not arrive, of those sent from the end of the warm-up to the end of the test; differences are percentage points"}
	jitter = result.Metric{Name: "jitter", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 20e-6,
		Help: "smoothed difference of transit times at the receivers (RFC 3550, 6.4.1), mean over intervals and streams; the sender's bursts are in it"}
	outOfOrder = result.Metric{Name: "out-of-order", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "datagrams that arrived after a later one, of those sent"}
	forwardGoodput = result.Metric{Name: "goodput-forward", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the goodput from clients to servers; reported where both send"}
	reverseGoodput = result.Metric{Name: "goodput-reverse", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the goodput from servers to clients; reported where both send"}
)

// datagramSize leaves the choice to iperf3, which knows the path.
var datagramSize = parameter.Parameter{
	Name: "message-size", Kind: parameter.Bytes, Default: []string{"0"}, Max: "65507",
	Help: "payload of a datagram, 16 bytes at least; 0: what fits the path without fragments, by the MSS of TCP",
}

// udpDescription is what all scenarios of UDP bulk load have in common.
const udpDescription = "Every stream and direction has an iperf3 process of its own at either end. Goodput is the payload that the receivers counted, and the offered rate what " +
	"the senders handed to their kernels, in the time in which all streams ran, after the warm-up; CPU and memory are of the same time. " +
	"Loss is counted by the numbers that datagrams carry, at the receiver's end, because the loss that iperf3 3.12 prints at the sender's " +
	"counts losses of the warm-up too; datagrams after the last one that arrived are lost as well."

// udpOverload describes UDP load without a rate.
func udpOverload(name, alias, title, defaultPath string, streams parameter.Parameter) Scenario {
	return Scenario{
		Name:    name,
		Aliases: []string{alias},
		Title:   title,
		Description: "An overload test (iperf3 -b 0): each sender sends as fast as its CPU allows, which is more than a path carries, " +
			"so that 40 to 90 % may be lost and goodput shows what a receiver still gets while it drowns. It is no measure of capacity: " +
			"see udp-rate for goodput at offered rates. A busy sender is marked generator-limited. " + udpDescription,
		Metrics:    udpMetrics,
		Parameters: udpParameters(defaultPath, streams),
		Requires:   Requires{Services: defaultPath == stage.ClusterIP},
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measureUDP(ctx, b, cell, 0)
		},
	}
}

func udpParameters(defaultPath string, streams parameter.Parameter) []parameter.Parameter {
	return []parameter.Parameter{
		duration, omit, streams, stage.Placement, direction, stage.AnyClient, stage.ServerEnd, stage.Path.With(defaultPath), stage.IPFamily, window, datagramSize,
	}
}

// measureUDP runs UDP load at a rate in bit/s of payload, of all streams
// together in each direction; 0 is no limit.
func measureUDP(ctx context.Context, b *stage.Bench, cell plan.Cell, rate float64) (stage.Measurement, error) {
	l := bulkOf(cell.Parameters)
	l.udp, l.rate = true, rate
	l.window, l.messageSize = cell.Parameters.Bytes(window.Name), cell.Parameters.Bytes(datagramSize.Name)
	ran, err := runBulk(ctx, b, l)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateUDP(b, ran)
}
