package scenario

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Generators of requests and answers.
const (
	ownGenerator      = "cnibench"
	sockperfGenerator = "sockperf"
	qperfGenerator    = "qperf"
	netperfGenerator  = "netperf"
)

// rrGenerator chooses who sends the requests.
var rrGenerator = parameter.Parameter{
	Name: "generator", Kind: parameter.Choice, Default: []string{ownGenerator},
	Choices: []string{ownGenerator, sockperfGenerator, qperfGenerator, netperfGenerator},
	Help:    "who sends the requests; all but cnibench have one connection and equal sizes, and qperf and netperf need rate 0",
}

// rrGeneratorDescription is what the other generators are for, and what their
// figures are.
const rrGeneratorDescription = " With another generator than cnibench the figures compare with those that others publish, and mean less: " +
	"netperf (in images that have it) and qperf are closed loop, as is sockperf with rate 0 (ping-pong); sockperf with a rate (under-load) is open loop, but counts from when a request was really sent, and waits busily. " +
	"They have one connection and requests as large as answers, so that connections has to be 1 and sizes equal, and a rate wants gaps fixed; omit, seed and timeout mean nothing to them. " +
	"qperf knows the mean alone, so that a campaign with it names latency-mean in analysis.primary; sockperf and netperf know no p95. sockperf waits 2 s before it begins, and leaves out the first 400 ms and the last 50 ms of its time. " +
	"Over UDP a lost message stops a closed loop: sockperf's trial fails, netperf runs into its timeout, and qperf counts the rest of the time as latency."

// rrTool is another generator, ready for a load: what runs at both ends, and
// how the client's output is read.
type rrTool struct {
	server   stage.Generator
	ports    stage.Ports
	tcp, udp []int // that the server listens on
	client   func(to stage.Address) (stage.Generator, error)
	read     func(p probe.ProcessReport) (rrToolResult, error)
}

// rrToolResult is what a client's output says.
type rrToolResult struct {
	window sample.Window
	values []result.Value
	marks  []result.Mark
	facts  map[string]string
	// local and remote are the congestion control of both ends as the tool
	// read it from its sockets; empty where it does not.
	local, remote string
}

// rrToolOf prepares a generator. A load that it cannot carry is an
// [*stage.UnsupportedError].
func rrToolOf(generator string, l rrLoad) (rrTool, error) {
	if why, remedy := rrToolRefuses(generator, l); why != "" {
		return rrTool{}, &stage.UnsupportedError{Reason: generator + " " + why + ": " + remedy}
	}
	switch generator {
	case sockperfGenerator:
		return sockperfTool(l)
	case qperfGenerator:
		return qperfTool(l)
	case netperfGenerator:
		return netperfTool(l)
	}
	return rrTool{}, fmt.Errorf("there is no generator %q", generator)
}

// rrMisfit says what of a cell the generator that it asks for does not have.
func rrMisfit(kind pace.Kind) func(parameter.Values) (problem, remedy string) {
	return func(v parameter.Values) (problem, remedy string) {
		generator := v.Text(rrGenerator.Name)
		if generator == ownGenerator {
			return "", ""
		}
		if problem, remedy = rrToolRefuses(generator, rrOf(kind, v)); problem != "" {
			problem = generator + " " + problem
		}
		return problem, remedy
	}
}

// rrToolRefuses says what of a load a generator does not have, and the remedy;
// empty for nothing.
func rrToolRefuses(generator string, l rrLoad) (problem, remedy string) {
	const own = "leave generator out"
	c, s := l.client, l.server
	switch {
	case c.Connections != 1:
		return fmt.Sprintf("has one connection, not %d", c.Connections), "write connections: 1"
	case c.RequestBytes != c.ResponseBytes:
		return fmt.Sprintf("answers with as many bytes as it asks with, not %d with %d", c.RequestBytes, c.ResponseBytes), "give request-size and response-size the same value"
	case l.ends.Client == stage.External:
		return "is in load pods, and client external is none", own
	case s.Delay > 0 || s.Pause > 0:
		return "has no server that delays or pauses", own
	case generator != sockperfGenerator && c.Rate > 0:
		return "has no rate, but a closed loop", "write rate: 0"
	case generator != sockperfGenerator && l.path == stage.NodePort:
		return "tells its client a port for the load, which a node port changes", "choose another path"
	case generator == sockperfGenerator && c.Rate > 0 && c.Gaps != pace.Fixed:
		return "sends at even gaps", "write gaps: fixed"
	case generator == sockperfGenerator && (l.path == stage.ServiceName || l.path == stage.Headless):
		return "resolves no names, and path " + l.path + " is one", "choose another path"
	}
	return "", ""
}

// measureRRByGenerator measures by the generator that the cell asks for.
func measureRRByGenerator(kind pace.Kind) func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	return func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
		generator := cell.Parameters.Text(rrGenerator.Name)
		if generator == ownGenerator {
			return measureRR(kind)(ctx, b, cell)
		}
		return measureRRBy(ctx, b, generator, rrOf(kind, cell.Parameters))
	}
}

// measureRRBy measures requests and answers by another generator than ours.
func measureRRBy(ctx context.Context, b *stage.Bench, generator string, l rrLoad) (stage.Measurement, error) {
	pair, err := b.Stage.Pair(ctx, l.ends)
	if err != nil {
		return stage.Measurement{}, err
	}
	l.server.Address = pair.Server.IP
	tool, err := rrToolOf(generator, l)
	if err != nil {
		return stage.Measurement{}, err
	}
	to, err := b.Stage.Address(ctx, pair, l.path, tool.ports)
	if err != nil {
		return stage.Measurement{}, err
	}
	client, err := tool.client(to)
	if err != nil {
		return stage.Measurement{}, err
	}
	timeout := l.client.Duration + stage.LoadGrace
	server, err := b.Serve(ctx, pair, tool.server, timeout+stage.LoadGrace, tool.tcp, tool.udp)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer server.Close()
	sampling, err := b.StartSampling(ctx, l.client.Duration, pair.Client, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	report, err := b.RunGenerator(ctx, pair, "client", client, timeout)
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, server.Explain(err, probe.ProcessReport{})
	}
	samples, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	read, err := tool.read(report.Processes[0])
	if err != nil {
		return stage.Measurement{}, server.Explain(fmt.Errorf("%s in %s: %w", generator, pair.Client.Name, err), report.Processes[0])
	}
	served, err := server.Stop(report.Processes[0])
	if err != nil {
		return stage.Measurement{}, err
	}
	read.facts["client"], read.facts["server"], read.facts["address"] = stage.EndWords(pair.Client), stage.EndWords(pair.Server), to.HostPort(tool.ports.First)
	return evaluateRRBy(b, generator, l, read, report, served, samples)
}

func evaluateRRBy(b *stage.Bench, generator string, l rrLoad, read rrToolResult, client, server probe.LoadReport, samples stage.Sampled) (stage.Measurement, error) {
	m, _ := b.MeasureWindow("", read.window, samples)
	if l.client.Kind == pace.TCPRR {
		congestion, err := congestionBy(read, client.Netns, server.Netns)
		if err != nil {
			return m, err
		}
		m.Facts["congestion control"] = congestion
	}
	m.Values = append(read.values, m.Values...)
	m.Marks = append(append(read.marks, stage.BusyMarks(generator, client.Processes[0])...), m.Marks...)
	maps.Copy(m.Facts, stage.GeneratorVersions(client, server))
	maps.Copy(m.Facts, read.facts)
	m.Facts["generator"] = generator
	m.Facts["loop"] = "closed"
	if l.client.Rate > 0 {
		m.Facts["loop"] = "open, counted from the real sending"
	}
	return m, nil
}

// congestionBy is the congestion control of both ends: as the sockets had it
// where the tool tells, as the networks' setting is where it does not.
func congestionBy(read rrToolResult, client, server probe.Netns) (string, error) {
	if read.local == "" && read.remote == "" {
		return stage.SameCongestionControl(client, server)
	}
	if read.local != read.remote {
		return "", &stage.InvalidError{Reason: fmt.Sprintf("congestion control is %s at the client and %s at the server", read.local, read.remote)}
	}
	return read.local, nil
}

// closedHelp ends what is said of latencies in a closed loop.
const closedHelp = "; closed loop: the next request waits for the answer"

// rrValues are latencies by their metrics, with what a generator makes of them
// added to the help. A latency of 0 is one that it does not know.
func rrValues(help string, latencies map[string]time.Duration) []result.Value {
	var values []result.Value
	for _, metric := range []result.Metric{rrP99, rrP50, rrP999, rrMean, rrSD} {
		if d := latencies[metric.Name]; d > 0 {
			metric.Help = toolLatencyHelp[metric.Name] + help
			values = append(values, result.Value{Metric: metric, Value: d.Seconds()})
		}
	}
	return values
}

var toolLatencyHelp = map[string]string{
	rrP99.Name:  "99th percentile of round trips from a request's real sending",
	rrP50.Name:  "median of round trips from a request's real sending",
	rrP999.Name: "99.9th percentile of round trips from a request's real sending",
	rrMean.Name: "mean of round trips from a request's real sending",
	rrSD.Name:   "standard deviation of round trips from a request's real sending",
}

func rateValue(perSecond float64) result.Value {
	return result.Value{Metric: answerRate, Value: perSecond}
}
