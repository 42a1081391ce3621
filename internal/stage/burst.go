package stage

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe"
)

// BurstInterval is how often [Burst] tells the rate.
const BurstInterval = time.Second

// Burst sends as fast as one TCP stream can and returns what the client sent in
// each second, in bit/s.
func Burst(ctx context.Context, c *cluster.Cluster, pair Pair, d time.Duration) ([]float64, error) {
	serverArgv, err := load.Iperf3Server{Port: FirstPort, Interval: BurstInterval}.Argv()
	if err != nil {
		return nil, err
	}
	clientArgv, err := load.Iperf3Client{Host: pair.Server.IP, Port: FirstPort, Duration: d, Interval: BurstInterval}.Argv()
	if err != nil {
		return nil, err
	}
	ctx, cut := context.WithTimeout(ctx, d+2*LoadGrace)
	defer cut()
	spec := probe.LoadSpec{Timeout: d + LoadGrace, Processes: []probe.Process{{Argv: serverArgv}}, Listen: []int{FirstPort}}
	servers, err := Open(ctx, "iperf3 server in "+pair.Server.Name, ProbeInPod(c, pair.Server), "load", spec)
	if err != nil {
		return nil, err
	}
	defer servers.Close()
	var ready probe.LoadReady
	if err := servers.Read(probe.FrameReady, &ready); err != nil {
		return nil, err
	}
	spec = probe.LoadSpec{Timeout: d + LoadGrace, Processes: []probe.Process{{Argv: clientArgv}}}
	clients, err := Open(ctx, "iperf3 client in "+pair.Client.Name, ProbeInPod(c, pair.Client), "load", spec)
	if err != nil {
		return nil, err
	}
	defer clients.Close()
	var report probe.LoadReport
	if err := clients.Read(probe.FrameReport, &report); err != nil {
		return nil, err
	}
	return ratesOf(report)
}

// ratesOf reads the rates of one iperf3 client.
func ratesOf(report probe.LoadReport) ([]float64, error) {
	if len(report.Processes) != 1 {
		return nil, fmt.Errorf("the load has %d processes, not one", len(report.Processes))
	}
	p := report.Processes[0]
	result, err := load.ParseIperf3([]byte(p.Stdout))
	if err != nil {
		return nil, fmt.Errorf("iperf3 client, exit status %d: %w", p.ExitCode, err)
	}
	var rates []float64
	for _, i := range result.Intervals {
		if i.End-i.Start > BurstInterval.Seconds()/2 { // not the rest at the end
			rates = append(rates, i.BitsPerSecond)
		}
	}
	return rates, nil
}
