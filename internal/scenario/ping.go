package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// pingLatency describes a latency of answered pings.
func pingLatency(name string, margin float64, help string) result.Metric {
	return result.Metric{Name: "latency-" + name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: margin,
		Help: help + " of the round trips of answered pings, from when they were really sent"}
}

var (
	pingMean = pingLatency("mean", 0.05, "mean")
	pingP50  = pingLatency("p50", 0.05, "median")
	pingP95  = pingLatency("p95", 0.10, "95th percentile")
	pingP99  = pingLatency("p99", 0.10, "99th percentile, from 1,000 answers on,")
	pingP999 = pingLatency("p999", 0.20, "99.9th percentile, from 10,000 answers on,")
	pingSD   = pingLatency("sd", 0.20, "standard deviation")
	pingLoss = result.Metric{Name: "loss", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "share of pings without an answer, in percentage points"}
)

// Parameters of ping.
var (
	pingCount = parameter.Parameter{
		Name: "count", Kind: parameter.Integer, Default: []string{"1000"}, Min: "100", Max: "65535", Help: "pings that are sent",
	}
	pingInterval = parameter.Parameter{
		Name: "interval", Kind: parameter.Duration, Default: []string{"10ms"}, Min: "10ms", Max: "10s", Step: "1ms", Help: "time between two pings",
	}
	pingSize = parameter.Parameter{
		Name: "size", Kind: parameter.Bytes, Default: []string{"56"}, Min: "16", Max: "65507",
		Help: "payload of a ping; its packet has 28 bytes more",
	}
	dontFragment = parameter.Parameter{
		Name: "dont-fragment", Kind: parameter.Boolean, Default: []string{"false"}, Help: "forbid fragments, so that packets above the path MTU do not pass",
	}
)

func init() {
	register(Scenario{
		Name:  "ping",
		Title: "round trip time and loss of ICMP echo",
		Description: "ping of iputils sends ICMP echo requests from one end to the other at a steady pace, open loop: a ping leaves on time whether or not others were answered. " +
			"Its round trips come from the kernel's time stamps of each packet, so that a late ping is not counted as slow. " +
			"Ping prints whole microseconds, and three digits above a millisecond: that is the floor of what it can tell, and cut, not rounded. " +
			"Percentiles are of all answers, by the nearest rank. ICMP is answered by the kernel: no socket, no scheduler and no TCP is in the figures of the server's end, " +
			"and a path may treat it otherwise than TCP and UDP. There is no warm-up; the ends have reached each other before. " +
			"Packets too large for the path with dont-fragment are unsupported.",
		Metrics:    []result.Metric{pingMean, pingP50, pingP95, pingP99, pingP999, pingSD, pingLoss, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: []parameter.Parameter{pingCount, pingInterval, pingSize, dontFragment, stage.Placement, stage.ClientEnd, stage.ServerEnd},
		Expected:   pingDuration,
		Run:        measurePing,
	})
}

// pingWait is how long the last answers are waited for where some are missing.
const pingWait = time.Second

func pingDuration(v parameter.Values) time.Duration {
	return time.Duration(v.Integer(pingCount.Name)) * v.Duration(pingInterval.Name)
}

func measurePing(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	argv, err := load.Ping{
		Host: pair.Server.IP, Count: v.Integer(pingCount.Name), Interval: v.Duration(pingInterval.Name), Size: v.Bytes(pingSize.Name),
		Unfragmented: v.Boolean(dontFragment.Name), Wait: pingWait,
	}.Argv()
	if err != nil {
		return stage.Measurement{}, err
	}
	sampling, err := b.StartSampling(ctx, pingDuration(v), pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	ping := stage.Generator{Program: "ping", Argv: argv, Version: load.PingVersion()}
	report, err := b.RunGenerator(ctx, pair, "ping", ping, pingDuration(v)+pingWait+stage.LoadGrace)
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	samples, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluatePing(b, pair, report, samples)
}

func evaluatePing(b *stage.Bench, pair stage.Pair, report probe.LoadReport, samples stage.Sampled) (stage.Measurement, error) {
	r, err := load.ParsePing(report.Processes[0])
	var tooLong *load.PingTooLongError
	if errors.As(err, &tooLong) {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: tooLong.Error()}
	}
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("ping in %s: %w", pair.Client.Name, err)
	}
	window, err := r.Window()
	if err != nil {
		return stage.Measurement{}, err
	}
	m, _ := b.MeasureWindow("", window, samples)
	m.Values = append(pingValues(r), m.Values...)
	m.Facts["client"], m.Facts["server"] = stage.EndWords(pair.Client), stage.EndWords(pair.Server)
	m.Facts["pings"] = fmt.Sprintf("%d sent, %d answered, %d duplicates, %d errors", r.Transmitted, r.Received, r.Duplicates, r.Errors)
	m.Facts["slowest answer"] = pingSlowest(r).String()
	if version, err := load.Version(report.First[0]); err == nil {
		m.Facts["ping"] = version
	}
	if len(r.Problems) > 0 {
		m.Marks = append(m.Marks, result.Mark{Name: "pings-failed", Detail: strings.Join(r.Problems, "; ")})
	}
	return m, nil
}

// pingValues leaves out what too few answers can tell.
func pingValues(r load.PingResult) []result.Value {
	latencies := load.SortedLatencies(r.RTTs())
	values := []result.Value{{Metric: pingMean, Value: latencies.Mean().Seconds()}, {Metric: pingLoss, Value: 100 * r.Loss()}}
	for _, p := range []struct {
		metric result.Metric
		share  float64
	}{{pingP50, 0.5}, {pingP95, 0.95}, {pingP99, 0.99}, {pingP999, 0.999}} {
		if d, ok := latencies.Percentile(p.share); ok {
			values = append(values, result.Value{Metric: p.metric, Value: d.Seconds()})
		}
	}
	if sd, ok := latencies.SD(); ok {
		values = append(values, result.Value{Metric: pingSD, Value: sd.Seconds()})
	}
	return values
}

func pingSlowest(r load.PingResult) time.Duration {
	var slowest time.Duration
	for _, rtt := range r.RTTs() {
		slowest = max(slowest, rtt)
	}
	return slowest
}
