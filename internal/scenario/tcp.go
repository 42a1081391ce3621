package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

var tcpMetrics = []result.Metric{throughput, cpuPerGbit, cpuPerGbitNet, cpu, retransmits, rtt, cniCPU, cniMemory, memory}

// target says what address clients connect to.
type target int

const (
	toPod target = iota
	toService
)

// tcpScenario describes TCP bulk load by iperf3.
func tcpScenario(name, title string, streams parameter.Parameter, to target) Scenario {
	return Scenario{
		Name:  name,
		Title: title,
		Description: "TCP bulk load by iperf3, one process per stream. Throughput is what the receivers counted in the time in which " +
			"all streams ran, after the warm-up; CPU and memory are of the same time.",
		Metrics:    tcpMetrics,
		Parameters: []parameter.Parameter{duration, omit, streams, placement},
		Run: func(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
			return measureTCP(ctx, b, cell, to)
		},
	}
}

func measureTCP(ctx context.Context, b *Bench, cell plan.Cell, to target) (Measurement, error) {
	pair, err := b.Stage.Pair(ctx, cell.Parameters.Text(parameter.Placement))
	if err != nil {
		return Measurement{}, err
	}
	host := pair.Server.IP
	if to == toService {
		if host, err = b.Stage.Service(ctx, pair, cell.Parameters.Integer("streams")); err != nil {
			return Measurement{}, err
		}
	}
	sampling, err := b.startSampling(ctx, cell.Parameters.Duration("duration"), pair.Client, pair.Server)
	if err != nil {
		return Measurement{}, err
	}
	ran, err := b.runIperf3(ctx, pair, host, cell)
	if err != nil {
		sampling.cancel()
		return Measurement{}, err
	}
	series, err := sampling.stop()
	if err != nil {
		return Measurement{}, err
	}
	return b.evaluateTCP(ran, series)
}
