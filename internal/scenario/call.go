package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/cnibench/cnibench/internal/call"
	"github.com/cnibench/cnibench/internal/call/program"
	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/stage"
)

// callPort is where the server listens.
const callPort = 5285

// callDescription is what all scenarios of calls by a library have in common.
const callDescription = "Open loop, like tcp-rr: a call is made at its intended time whether or not others are answered, and latency counts from that time. " +
	"The client and the server are ours, on Go's libraries, several threads each; they are copied into the load pods. Every connection has made one call before the clock starts, " +
	"so that handshakes are not in the figures. The CPU time of the libraries is: a trial whose client was late or used up its CPUs is marked generator-limited. "

// callParameters are those of calls, before the protocol's own.
func callParameters(rate, response string) []parameter.Parameter {
	return []parameter.Parameter{
		requestRate.With(rate), connections, requestGaps, seed,
		requestSizeOf("0"), responseSize.With(response),
		duration, omit.With("1s"), requestTimeout, stage.Placement, stage.ClientEnd, stage.ServerEnd, stage.Path,
	}
}

// requestSizeOf is the payload of a call, which may have none.
func requestSizeOf(bytes string) parameter.Parameter {
	p := requestSize.With(bytes)
	p.Min = ""
	return p
}

// callLoad is a load of calls between two ends.
type callLoad struct {
	client call.ClientSpec // without its target and certificate
	server call.ServerSpec // without its address
	ends   stage.Ends
	path   string
}

// callsOf reads what all scenarios of calls declare.
func callsOf(protocol call.Protocol, tls bool, v parameter.Values) callLoad {
	return callLoad{
		client: call.ClientSpec{Protocol: protocol, Pace: pacedOf(pace.Calls, v)},
		server: call.ServerSpec{Protocol: protocol, Port: callPort, ResponseBytes: v.Bytes(responseSize.Name), TLS: tls},
		ends:   stage.EndsOf(v), path: v.Text(stage.Path.Name),
	}
}

// callRun is a load that took place.
type callRun struct {
	load    callLoad
	pair    stage.Pair
	address stage.Address
	report  call.Report
	served  call.Served
	samples stage.Sampled
}

func measureCalls(ctx context.Context, b *stage.Bench, l callLoad) (stage.Measurement, error) {
	ran := callRun{load: l}
	var err error
	if ran.pair, err = b.Stage.Pair(ctx, l.ends); err != nil {
		return stage.Measurement{}, err
	}
	ports := stage.Ports{First: callPort, Count: 1, UDP: l.client.Protocol.UDP()}
	if ran.address, err = b.Stage.Address(ctx, ran.pair, l.path, ports); err != nil {
		return stage.Measurement{}, err
	}
	server, certificate, err := openCallServer(ctx, b, ran)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer server.Close()
	ran.load.client.Certificate = certificate
	sampling, err := b.StartSampling(ctx, l.client.Pace.Duration, ran.pair.Client, ran.pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := makeCalls(ctx, b, &ran, server); err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	if ran.samples, err = sampling.Stop(ctx); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateCalls(b, ran)
}

// openCaller starts a command of the program in a pod, where it is copied.
func openCaller(ctx context.Context, b *stage.Bench, pod cluster.Pod, where, command string, spec any) (*stage.Session, error) {
	content, err := program.Read()
	if err != nil {
		return nil, err
	}
	path, err := b.Stage.CopyProgram(ctx, pod, program.Name, content)
	if err != nil {
		return nil, err
	}
	return stage.Open(ctx, where+" in "+pod.Name, stage.ProgramInPod(b.Cluster, pod, path), command, spec)
}

// openCallServer starts the server and returns when it listens, with its
// certificate. Over UDP its answers have to come from the address that was
// asked.
func openCallServer(ctx context.Context, b *stage.Bench, ran callRun) (*stage.Session, string, error) {
	spec := ran.load.server
	spec.Address = ran.pair.Server.IP
	if err := b.KeepJSON("server-spec.json", spec); err != nil {
		return nil, "", err
	}
	server, err := openCaller(ctx, b, ran.pair.Server, "server of calls", "serve", spec)
	if err != nil {
		return nil, "", err
	}
	var ready call.Ready
	if err := server.Read(probe.FrameReady, &ready); err != nil {
		server.Close()
		return nil, "", err
	}
	return server, ready.Certificate, nil
}

// makeCalls runs the client to its end, then ends the server. When the client
// fails, what the server says belongs to the reason.
func makeCalls(ctx context.Context, b *stage.Bench, ran *callRun, server *stage.Session) error {
	spec := ran.load.client
	spec.Pace.Target = ran.address.HostPort(callPort)
	if err := b.KeepJSON("client-spec.json", spec); err != nil {
		return err
	}
	err := func() error {
		client, err := openCaller(ctx, b, ran.pair.Client, "client of calls", "run", spec)
		if err != nil {
			return err
		}
		defer client.Close()
		return client.Read(call.FrameReport, &ran.report)
	}()
	server.Close()
	if failed := server.Read(call.FrameServed, &ran.served); failed != nil {
		return joined(err, failed)
	}
	if err != nil {
		return err
	}
	log, err := ran.report.Log()
	if err != nil {
		return err
	}
	b.Keep("latency.hlog", log)
	return errors.Join(b.KeepJSON("client.json", ran.report), b.KeepJSON("server.json", ran.served))
}

// evaluateCalls makes the measurement of a load of calls.
func evaluateCalls(b *stage.Bench, ran callRun) (stage.Measurement, error) {
	values, marks, err := latencyValues(ran.report.Report, ran.load.client.Pace.Timeout)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("client of calls in %s: %w", ran.pair.Client.Name, err)
	}
	m, _ := b.MeasureWindow("", sample.Window{Start: ran.report.Start, End: ran.report.End}, ran.samples)
	m.Values, m.Marks = append(values, m.Values...), append(marks, m.Marks...)
	m.Marks = append(m.Marks, stage.LimitedMarks(ran.report.Limits())...)
	maps.Copy(m.Facts, ran.facts())
	return m, nil
}

func (ran callRun) facts() map[string]string {
	facts := requestFacts(ran.report.Report)
	facts["generator"] = ownGenerator + ": " + callLibraries[ran.load.client.Protocol]
	delete(facts, "client thread busy")
	facts["client busy"] = fmt.Sprintf("%.0f %% of the CPUs that it may use", 100*ran.report.Busy)
	facts["client"], facts["server"] = stage.EndWords(ran.pair.Client), stage.EndWords(ran.pair.Server)
	facts["address"] = ran.report.Address
	facts["requests served"] = fmt.Sprint(ran.served.Requests) // warm-up included
	facts["encryption"] = map[bool]string{true: "TLS 1.3", false: "none"}[ran.load.server.TLS]
	if offload := ran.report.Offload; offload != nil {
		facts["UDP segmentation offload"] = map[bool]string{true: "by the kernel", false: "none"}[*offload]
	}
	return facts
}

// callLibraries are what speaks each protocol.
var callLibraries = map[call.Protocol]string{
	call.H1: "net/http", call.H2: "net/http", call.H3: "quic-go", call.Unary: "grpc-go", call.Stream: "grpc-go",
}
