package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var (
	sizeThroughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload, messages of the size sent one after the other as fast as the sender can"}
	sizeLatency = result.Metric{Name: "latency-one-way", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "half of the mean round trip of a message of the size and its answer; closed loop: the next waits for the answer"}
	sizeLoss = result.Metric{Name: "loss", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "datagrams that did not arrive while the sender sent as fast as it could, in percentage points; only UDP"}
	sizeLatencyCPU = result.Metric{Name: "latency-cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU of the machines while latency was measured, all modes"}
)

// Parameters of message-size.
var (
	sizes = parameter.Parameter{
		Name: "size", Kind: parameter.Bytes, Min: "1", Max: "1MiB", Help: "bytes of a message",
		Default: []string{
			"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB",
		},
	}
	protocols = parameter.Parameter{
		Name: "protocol", Kind: parameter.Choice, Default: []string{tcp, udp}, Choices: []string{tcp, udp}, Help: "what carries the messages",
	}
	sizeDuration = parameter.Parameter{
		Name: "duration", Kind: parameter.Duration, Default: []string{"4s"}, Min: "2s", Max: "1h", Step: "2s",
		Help: "what is measured: one half latency, the other throughput",
	}
	// untranslatedPath leaves out what gives ports other numbers.
	untranslatedPath = parameter.Parameter{
		Name: stage.Path.Name, Kind: parameter.Choice, Default: []string{stage.PodIP}, Choices: []string{stage.PodIP, stage.ClusterIP, stage.ServiceName, stage.Headless}, Help: stage.Path.Help,
	}
)

// Protocols by name.
const (
	tcp = "tcp"
	udp = "udp"
)

func init() {
	register(Scenario{
		Name:  "message-size",
		Title: "throughput and latency by the size of messages",
		Description: "qperf measures latency and then throughput with messages of one size, for half of the duration each; the default is all powers of two from 1 byte to 64 KiB, over TCP and UDP. " +
			"Latency is closed loop: a message and its answer of the same size, the next one after it, and what is reported is half of the mean round trip; there are no percentiles. " +
			"Throughput is of one sender without pause, one call per message: small messages show the cost of a call and, over UDP, of a packet. Over UDP it is an overload, and what arrives is not what a rate below it would deliver. " +
			"qperf leaves Nagle's algorithm on, so that a message above the segment size can wait for an acknowledgement; it has no warm-up, and counts time in ticks of 10 ms, which is 0.5 % of 2 s. " +
			"Over UDP a single lost message ends the latency test's exchange, and qperf counts the rest of the time as latency: a value far above its neighbours' says that. " +
			"Messages above 65,507 bytes do not fit into a datagram and are unsupported over UDP. CPU and memory are of the time of the throughput, but for latency-cpu.",
		Metrics:    []result.Metric{sizeThroughput, sizeLatency, sizeLoss, stage.CPUPerGbit, stage.CPUPerGbitNet, sizeLatencyCPU, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: []parameter.Parameter{sizes, protocols, sizeDuration, stage.Placement, stage.ClientEnd, stage.ServerEnd, untranslatedPath},
		Run:        measureMessageSize,
	})
}

// Ports of qperf's server: that of its control connection is its own default.
const (
	qperfPort     = 19765
	qperfDataPort = 19766
)

// messageSizeLoad is both halves of a trial.
type messageSizeLoad struct {
	pair     stage.Pair
	to       stage.Address
	udp      bool
	size     int
	duration time.Duration // of one half
}

// messageSizeRun is what became of it.
type messageSizeRun struct {
	messageSizeLoad
	latency, throughput probe.LoadReport
	server              probe.LoadReport
	samples             stage.Sampled
}

func measureMessageSize(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	l := messageSizeLoad{udp: v.Text(protocols.Name) == udp, size: v.Bytes(sizes.Name), duration: v.Duration(sizeDuration.Name) / 2}
	if l.udp && l.size > load.LargestDatagram {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: fmt.Sprintf("a datagram holds at most %d bytes, not %d", load.LargestDatagram, l.size)}
	}
	var err error
	if l.pair, err = b.Stage.Pair(ctx, stage.EndsOf(v)); err != nil {
		return stage.Measurement{}, err
	}
	if l.to, err = b.Stage.Address(ctx, l.pair, v.Text(untranslatedPath.Name), stage.Ports{First: qperfPort, Count: 2, UDP: l.udp}); err != nil {
		return stage.Measurement{}, err
	}
	ran, err := runMessageSize(ctx, b, l)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateMessageSize(b, ran)
}

// runMessageSize runs both halves against one server.
func runMessageSize(ctx context.Context, b *stage.Bench, l messageSizeLoad) (messageSizeRun, error) {
	ran := messageSizeRun{messageSizeLoad: l}
	server, err := serveQperf(ctx, b, l.pair, 2*(l.duration+stage.LoadGrace))
	if err != nil {
		return ran, err
	}
	defer server.Close()
	sampling, err := b.StartSampling(ctx, l.duration, l.pair.Client, l.pair.Server)
	if err != nil {
		return ran, err
	}
	latency, throughput := load.QperfTCPLatency, load.QperfTCPBandwidth
	if l.udp {
		latency, throughput = load.QperfUDPLatency, load.QperfUDPBandwidth
	}
	if ran.latency, err = runQperf(ctx, b, l, "latency", latency); err == nil {
		ran.throughput, err = runQperf(ctx, b, l, "throughput", throughput)
	}
	if err != nil {
		sampling.Cancel()
		return ran, server.Explain(err, lastOf(ran.throughput, ran.latency))
	}
	if ran.samples, err = sampling.Stop(ctx); err != nil {
		return ran, err
	}
	ran.server, err = server.Stop(ran.throughput.Processes[0])
	return ran, err
}

// lastOf is the process of the first of the reports that has one.
func lastOf(reports ...probe.LoadReport) probe.ProcessReport {
	for _, r := range reports {
		if len(r.Processes) > 0 {
			return r.Processes[0]
		}
	}
	return probe.ProcessReport{}
}

// serveQperf starts qperf's server.
func serveQperf(ctx context.Context, b *stage.Bench, pair stage.Pair, timeout time.Duration) (*stage.GeneratorServer, error) {
	argv, err := load.QperfServer{Port: qperfPort}.Argv()
	if err != nil {
		return nil, err
	}
	return b.Serve(ctx, pair, stage.Generator{Program: "qperf", Argv: argv, Version: load.QperfVersion()}, timeout, []int{qperfPort}, nil)
}

// runQperf runs one test. One that failed ends the trial before the next.
func runQperf(ctx context.Context, b *stage.Bench, l messageSizeLoad, name string, test load.QperfTest) (probe.LoadReport, error) {
	argv, err := load.QperfClient{
		Test: test, Host: l.to.Host, Port: l.to.Port(qperfPort), DataPort: l.to.Port(qperfDataPort), MessageSize: l.size, Duration: l.duration,
	}.Argv()
	if err != nil {
		return probe.LoadReport{}, err
	}
	report, err := b.RunGenerator(ctx, l.pair, name, stage.Generator{Program: "qperf", Argv: argv, Version: load.QperfVersion()}, l.duration+stage.LoadGrace)
	if err != nil {
		return report, err
	}
	if _, err := load.ParseQperf(report.Processes[0]); err != nil {
		return report, fmt.Errorf("%s in %s: %w", name, l.pair.Client.Name, err)
	}
	return report, nil
}
