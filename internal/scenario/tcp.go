package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var tcpMetrics = []result.Metric{
	throughput, stage.CPUPerGbit, stage.CPUPerGbitNet, stage.CPU, retransmits, rtt, stage.CNICPU, stage.CNIMemory, stage.Memory, forwardThroughput, reverseThroughput,
}

// Parameters of TCP bulk load beyond those that most scenarios have.
var (
	window = parameter.Parameter{
		Name: "window", Kind: parameter.Bytes, Default: []string{"0"}, Max: "512MiB",
		Help: "buffer of the sockets at both ends; 0: as the kernel sizes it",
	}
	messageSize = parameter.Parameter{
		Name: "message-size", Kind: parameter.Bytes, Default: []string{"128KiB"}, Min: "1", Max: "1MiB",
		Help: "bytes per call of the sender",
	}
	zeroCopy = parameter.Parameter{
		Name: "zero-copy", Kind: parameter.Boolean, Default: []string{"false"},
		Help: "send by sendfile(2)",
	}
)

// What the descriptions of scenarios with TCP bulk load have in common.
const (
	tcpDescription = "TCP bulk load is iperf3's, closed loop: each sender sends as fast as its connection takes it. " +
		"Every stream has a process of its own at either end, because iperf3 below 3.16 has one thread. " +
		"Throughput is the payload that the receivers counted in the time in which all streams ran, after the warm-up; CPU and memory are of the same time."
	bidirDescription = " With direction bidir each stream has one more process for the way back: iperf3's own --bidir would carry both ways on one thread, " +
		"and throughput is the sum of both."
	nicDescription = " With nic-rtt, round trips are measured from outside, at the senders' network cards (docs/methodology.md, section 2)."
)

// tcpScenario describes TCP bulk load by a path.
func tcpScenario(name, alias, title, defaultPath string, streams parameter.Parameter) Scenario {
	return Scenario{
		Name:        name,
		Aliases:     []string{alias},
		Title:       title,
		Description: tcpDescription + bidirDescription + nicDescription,
		Metrics:     stage.WithNICRTT(tcpMetrics),
		Parameters: []parameter.Parameter{
			duration, omit, streams, stage.Placement, direction, stage.AnyClient, stage.ServerEnd, stage.Path.With(defaultPath), stage.IPFamily, window, messageSize, zeroCopy, stage.NICRTT,
		},
		Requires: Requires{Services: defaultPath == stage.ClusterIP},
		Run:      measureTCP,
	}
}

func measureTCP(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	l := bulkOf(cell.Parameters)
	l.window, l.messageSize = cell.Parameters.Bytes(window.Name), cell.Parameters.Bytes(messageSize.Name)
	l.zeroCopy, l.nicRTT = cell.Parameters.Boolean(zeroCopy.Name), cell.Parameters.Boolean(stage.NICRTT.Name)
	ran, err := runBulk(ctx, b, l)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateTCP(b, ran)
}
