package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Parameters of paced requests.
var (
	requestRate = parameter.Parameter{
		Name: "rate", Kind: parameter.Integer, Default: []string{"2000"}, Max: "200000",
		Help: "requests per second of all connections together; 0: as fast as answers come, a closed loop",
	}
	connections = parameter.Parameter{
		Name: "connections", Kind: parameter.Integer, Default: []string{"8"}, Min: "1", Max: "1024",
		Help: "connections, or sockets for UDP, that take the requests in turn",
	}
	requestGaps = parameter.Parameter{
		Name: "gaps", Kind: parameter.Choice, Default: []string{string(pace.Exponential)}, Choices: []string{string(pace.Exponential), string(pace.Fixed)},
		Help: "how the time between two requests varies: like that of independent users, or not at all",
	}
	seed = parameter.Parameter{
		Name: "seed", Kind: parameter.Integer, Default: []string{"1"},
		Help: "of exponential gaps: the same seed gives the same times",
	}
	requestSize = parameter.Parameter{
		Name: "request-size", Kind: parameter.Bytes, Default: []string{"64"}, Min: "1", Max: "1MiB", Help: "payload of a request",
	}
	responseSize = parameter.Parameter{
		Name: "response-size", Kind: parameter.Bytes, Default: []string{"64"}, Min: "1", Max: "1MiB", Help: "payload of an answer",
	}
	requestTimeout = parameter.Parameter{
		Name: "timeout", Kind: parameter.Duration, Default: []string{"5s"}, Min: "10ms", Max: "1m",
		Help: "how long after its intended sending a request may be answered; later is no answer",
	}
	serverDelay = parameter.Parameter{
		Name: "server-delay", Kind: parameter.Duration, Default: []string{"0s"}, Max: "5s",
		Help: "control experiment: how long the server holds back every answer",
	}
	serverPause = parameter.Parameter{
		Name: "server-pause", Kind: parameter.Duration, Default: []string{"0s"}, Max: "900ms",
		Help: "control experiment: how long the server does nothing in every second",
	}
)

// pauseEvery is how often a server with pauses makes one.
const pauseEvery = time.Second

// rrParameters are those of requests to a server of ours.
func rrParameters(changed ...parameter.Parameter) []parameter.Parameter {
	all := []parameter.Parameter{
		requestRate, connections, requestGaps, seed, requestSize, responseSize, duration, omit.With("1s"), requestTimeout,
		stage.Placement, stage.ClientEnd, stage.ServerEnd, stage.Path, stage.IPFamily, serverDelay, serverPause,
	}
	for _, c := range changed {
		i := slices.IndexFunc(all, func(p parameter.Parameter) bool { return p.Name == c.Name })
		all[i] = c
	}
	return all
}

var rrMetrics = []result.Metric{
	rrP99, rrP50, rrP95, rrP999, rrMean, rrSD, serviceP50, serviceP99, answerRate, unanswered, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory,
}

// rrDescription is what all scenarios of paced requests have in common.
const rrDescription = "Open loop: a request is sent at its intended time whether or not others are answered, and latency counts from that time, " +
	"so that a stall shows in all requests that fall into it; service time, from the real sending, stands beside it. " +
	"Requests without an answer in time count as slower than all others. " +
	"One thread at each end does the work; requests that are sent late, or a thread at 95 % of a core, mark the trial generator-limited. " +
	"The floor is what two threads need to wake up, which the host baseline shows. With rate 0 the loop is closed: " +
	"the rate is then a capacity, and stalls hide in the percentiles. "

// rrPort is where the server listens.
const rrPort = 5290

// rrLoad is a load of requests between two ends.
type rrLoad struct {
	client pace.Spec // without its target
	server pace.ServeSpec
	ends   stage.Ends
	path   string
	// to are addresses that its maker knows the server to have, which requests
	// take in turn; none: by path.
	to []stage.Address
}

// rrOf reads what all scenarios of paced requests declare.
func rrOf(kind pace.Kind, v parameter.Values) rrLoad {
	l := rrLoad{
		client: pacedOf(kind, v),
		server: pace.ServeSpec{
			Kind: kind, Port: rrPort, RequestBytes: v.Bytes(requestSize.Name), ResponseBytes: v.Bytes(responseSize.Name),
			Delay: v.Duration(serverDelay.Name), Pause: v.Duration(serverPause.Name),
		},
		ends: stage.EndsOf(v),
	}
	if v.Has(stage.Path.Name) { // in another cluster there are addresses instead
		l.path = v.Text(stage.Path.Name)
	}
	if l.server.Pause > 0 {
		l.server.PauseEvery = pauseEvery
	}
	return l
}

// pacedOf is the client of an open load, but for its target.
func pacedOf(kind pace.Kind, v parameter.Values) pace.Spec {
	return pace.Spec{
		Kind: kind, Connections: v.Integer(connections.Name), Rate: float64(v.Integer(requestRate.Name)), Gaps: pace.Gaps(v.Text(requestGaps.Name)),
		Seed: uint64(v.Integer(seed.Name)), RequestBytes: v.Bytes(requestSize.Name), ResponseBytes: v.Bytes(responseSize.Name),
		Duration: v.Duration(duration.Name), Omit: v.Duration(omit.Name), Timeout: v.Duration(requestTimeout.Name),
	}
}

// ports are those of its server.
func (l rrLoad) ports() stage.Ports {
	return stage.Ports{First: rrPort, Count: 1 + len(l.server.Further), UDP: l.client.Kind == pace.UDPRR}
}

// rrRun is a load that took place.
type rrRun struct {
	load    rrLoad
	pair    stage.Pair
	address stage.Address
	report  pace.Report
	served  pace.Served
	samples stage.Sampled
}

func measureRR(kind pace.Kind) func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	return func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
		ran, err := runRR(ctx, b, rrOf(kind, cell.Parameters), nil)
		if err != nil {
			return stage.Measurement{}, err
		}
		return evaluateRR(b, ran)
	}
}

// runRR brings the ends into place, proves the address, starts the server, and
// loads it while the machines are sampled. It calls begin, if there is one,
// when everything is ready for the load.
func runRR(ctx context.Context, b *stage.Bench, l rrLoad, begin func()) (rrRun, error) {
	ran := rrRun{load: l}
	var err error
	if ran.pair, err = b.Stage.Pair(ctx, l.ends); err != nil {
		return ran, err
	}
	if len(l.to) > 0 {
		ran.address = l.to[0]
	} else if ran.address, err = b.Stage.Address(ctx, ran.pair, l.path, l.ports()); err != nil {
		return ran, err
	}
	server, err := openRRServer(ctx, b, ran, ran.pair.Server.IP)
	if err != nil {
		return ran, err
	}
	defer server.Close()
	sampling, err := b.StartSampling(ctx, l.client.Duration, ran.pair.Pods()...)
	if err != nil {
		return ran, err
	}
	if begin != nil {
		begin()
	}
	if err := request(ctx, b, &ran, server); err != nil {
		sampling.Cancel()
		return ran, err
	}
	ran.samples, err = sampling.Stop(ctx)
	return ran, err
}

// openRRServer starts the server and returns when it listens on an address.
// Over UDP its answers have to come from the address that was asked.
func openRRServer(ctx context.Context, b *stage.Bench, ran rrRun, address string) (*stage.Session, error) {
	spec := ran.load.server
	spec.Address = address
	if err := b.KeepJSON("server-spec.json", spec); err != nil {
		return nil, err
	}
	server, err := stage.Open(ctx, "paced server in "+ran.pair.Server.Name, stage.ProbeInPod(b.Cluster, ran.pair.Server), "pace-serve", spec)
	if err != nil {
		return nil, err
	}
	var ready pace.Ready
	if err := server.Read(probe.FrameReady, &ready); err != nil {
		return nil, err
	}
	return server, nil
}

// request runs the client to its end, then ends the server. When the client
// fails, what the server says belongs to the reason.
func request(ctx context.Context, b *stage.Bench, ran *rrRun, server *stage.Session) error {
	spec := ran.load.client
	spec.Target = ran.address.HostPort(rrPort)
	for i := 1; i < len(ran.load.to); i++ {
		spec.More = append(spec.More, ran.load.to[i].HostPort(rrPort))
	}
	for _, port := range ran.load.server.Further {
		spec.More = append(spec.More, ran.address.HostPort(port))
	}
	report, err := paceRequests(ctx, b, b.ClientEnd(ran.pair), spec)
	server.Close()
	if failed := server.Read(probe.FramePaceServed, &ran.served); failed != nil {
		return joined(err, failed)
	}
	ran.report = report
	if err != nil {
		return err
	}
	return b.KeepJSON("server.json", ran.served)
}

// joined is both errors in one line.
func joined(err, other error) error {
	if err == nil {
		return other
	}
	return fmt.Errorf("%w; %w", err, other)
}

// paceRequests runs a paced client at its end and keeps what it says.
func paceRequests(ctx context.Context, b *stage.Bench, end stage.LoadEnd, spec pace.Spec) (pace.Report, error) {
	var report pace.Report
	if err := b.KeepJSON("client-spec.json", spec); err != nil {
		return report, err
	}
	client, err := stage.Open(ctx, "paced client in "+end.Name, end.Run, "pace", spec)
	if err != nil {
		return report, err
	}
	defer client.Close()
	if err := client.Read(probe.FramePace, &report); err != nil {
		return report, err
	}
	log, err := report.Log()
	if err != nil {
		return report, err
	}
	b.Keep("latency.hlog", log)
	return report, b.KeepJSON("client.json", report)
}

// evaluateRR makes the measurement of a load of requests.
func evaluateRR(b *stage.Bench, ran rrRun) (stage.Measurement, error) {
	if client, server := ran.report.CongestionControl, ran.served.CongestionControl; client != server {
		return stage.Measurement{}, &stage.InvalidError{Reason: fmt.Sprintf("congestion control is %s at the client and %s at the server", client, server)}
	}
	values, marks, err := latencyValues(ran.report, ran.load.client.Timeout)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("paced client in %s: %w", b.ClientEnd(ran.pair).Name, err)
	}
	window := sample.Window{Start: ran.report.Start, End: ran.report.End}
	m, _ := b.MeasureWindow("", window, ran.samples)
	m.Values, m.Marks = append(values, m.Values...), append(marks, m.Marks...)
	m.Marks = append(m.Marks, stage.LimitedMarks(append(ran.report.Limits(), ran.served.Limits()...))...)
	maps.Copy(m.Facts, ran.facts())
	m.Facts["client"] = b.ClientEnd(ran.pair).Words
	return m, nil
}

// facts are what a reader must know to compare two trials.
func (ran rrRun) facts() map[string]string {
	facts := requestFacts(ran.report)
	facts["server"] = stage.EndWords(ran.pair.Server)
	maps.Copy(facts, ran.address.EntryFacts())
	facts["address"] = ran.report.Address
	facts["requests served"] = fmt.Sprint(ran.served.Requests) // warm-up included
	facts["server thread busy"] = fmt.Sprintf("%.0f %%", 100*ran.served.Busy)
	if ran.report.CongestionControl != "" {
		facts["congestion control"] = ran.report.CongestionControl
	}
	if ran.load.server.Pause > 0 {
		facts["server pauses"] = fmt.Sprint(ran.served.Pauses)
	}
	return facts
}

// requestFacts are those that the client alone knows.
func requestFacts(r pace.Report) map[string]string {
	lateness, _ := r.Lateness.Percentile(.99, 0)
	return map[string]string{
		"generator":          ownGenerator,
		"loop":               map[bool]string{true: "closed", false: "open"}[r.Closed],
		"requests":           fmt.Sprintf("%d intended, %d sent, %d answered", r.Counts.Intended, r.Counts.Sent, r.Counts.Answered),
		"late sends":         fmt.Sprintf("%d by more than %v", r.Counts.LateSends, r.LateFrom),
		"lateness p99":       lateness.Round(100 * time.Nanosecond).String(),
		"client thread busy": fmt.Sprintf("%.0f %%", 100*r.Busy),
	}
}

func sorted(counts map[string]int64) []string { return slices.Sorted(maps.Keys(counts)) }
