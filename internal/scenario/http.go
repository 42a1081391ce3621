package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/web"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// httpNotOpen ends what is said of k6's latencies.
const httpNotOpen = "; k6 does not count how late a request began, which the fact \"late start p99\" bounds"

// httpLatency describes a latency of answered requests.
func httpLatency(name string, margin float64, help string) result.Metric {
	return result.Metric{Name: "latency-" + name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: margin,
		Help: help + " of requests from k6's call to the answer's last byte, a connection's making included" + httpNotOpen}
}

var (
	httpP99  = httpLatency("p99", 0.10, "99th percentile of the time")
	httpP50  = httpLatency("p50", 0.05, "median time")
	httpP95  = httpLatency("p95", 0.10, "95th percentile of the time")
	httpP999 = httpLatency("p999", 0.20, "99.9th percentile, from 10,000 answers on, of the time")
	httpMean = httpLatency("mean", 0.05, "mean time")
	httpSD   = httpLatency("sd", 0.20, "standard deviation of the time")
	httpRate = result.Metric{Name: "rate", Unit: "1/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "answered requests per second; the parameter rate unless users or servers could not keep up"}
	httpErrors = result.Metric{Name: "errors", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "share of requests with another status than 200, from a target than 200 to 399, or none at all, in percentage points"}
)

// httpMetrics are those of a load of HTTP requests, the first one first.
var httpMetrics = []result.Metric{
	httpP99, httpP50, httpP95, httpP999, httpMean, httpSD, httpRate, httpErrors, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory,
}

// httpLoadParameters are those of the load, wherever it goes.
var httpLoadParameters = []parameter.Parameter{
	{Name: "rate", Kind: parameter.Integer, Default: []string{"500"}, Min: "1", Max: "100000",
		Help: "requests per second, of all users together"},
	{Name: "users", Kind: parameter.Integer, Default: []string{"100"}, Min: "1", Max: "20000",
		Help: "requests that may wait for an answer at once; a user keeps a connection to every Service that he has asked"},
	duration, omit,
	{Name: "body-size", Kind: parameter.Bytes, Default: []string{"1KiB"}, Max: "64MiB", Help: "bytes of every answer"},
	stage.Placement,
	{Name: "server-delay", Kind: parameter.Duration, Default: []string{"0s"}, Max: "5s",
		Help: "control experiment: how long the server holds back every answer"},
	{Name: "server-pause", Kind: parameter.Duration, Default: []string{"0s"}, Max: "900ms",
		Help: "control experiment: how long the server answers nobody in every second"},
	{Name: "threshold", Kind: parameter.Duration, Default: []string{"0s"}, Max: "1m",
		Help: "p99 that is promised; a trial above it is marked. 0s: none"},
}

var httpParameters = append([]parameter.Parameter{
	{Name: "services", Kind: parameter.Integer, Default: []string{"1"}, Min: "1", Max: "10000",
		Help: "Services in front of the server, asked in turn; more than one needs path cluster-ip or service-name"},
	httpPath, ingressClass, httpTargetName, stage.ClientEnd, stage.ServerEnd,
}, httpLoadParameters...)

func init() {
	register(Scenario{
		Name:  "http",
		Title: "latency of HTTP requests at a fixed rate",
		Description: "k6 asks a small HTTP/1.1 server in another pod at a fixed rate (executor constant-arrival-rate), open loop: a request begins on time whether or not others are answered, " +
			"as long as one of the users is free; otherwise it is dropped, and the trial marked generator-limited. " +
			"Latency is k6's own: from its call to the last byte of the answer, with the wait for a connection and its making. It counts from when a request really began, not from when it was due: " +
			"k6 has no such figure, so the fact late start p99 says by how much requests were late, as exactly as milliseconds tell, and more than 5 ms mark the trial. " +
			"Percentiles are exact, of all requests after the warm-up; p99.9 needs 10,000. k6 itself takes some 0.2 ms of CPU time per request, which is the floor of what it can see. " +
			"With several Services every request goes to the next one of them; they are made and have answered before the clock starts, and are gone after it. " +
			"Path ingress leads through an Ingress that is made for the trial, by whatever controller the cluster has, whose CPU is part of the nodes'. " +
			"A target is a server that is there already, of any URL, which cnibench neither makes nor proves: an answer from 200 to 399 is good, redirects are not followed, " +
			"and facts tell the statuses, the protocol and the address that answered.",
		Metrics:    httpMetrics,
		Parameters: httpParameters,
		Requires:   Requires{HTTPLoad: true},
		Misfit:     httpMisfit,
		Beyond:     beyondHTTP,
		Run:        measureHTTP,

		TargetParameter: httpTargetName.Name,
	})
}

const (
	// webPort is where the server listens.
	webPort = 5280
	// httpTimeout is how long a request may take.
	httpTimeout = 10 * time.Second
	// httpPauses is how often a server with pauses makes one.
	httpPauses = time.Second
)

// httpRun is a load that took place.
type httpRun struct {
	pair   stage.Pair
	goal   httpGoal
	client probe.LoadReport
	server web.Report // nothing of a target
}

func measureHTTP(ctx context.Context, b *stage.Bench, cell plan.Cell) (_ stage.Measurement, err error) {
	if cell.Target != nil {
		return measureTarget(ctx, b, cell)
	}
	v := cell.Parameters
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	server, err := openWeb(ctx, b, pair, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer server.Close()
	goal, remove, err := ownGoal(ctx, b, pair, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	ran, series, err := runHTTP(ctx, b, pair, goal, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := endWeb(b, server, &ran); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateHTTP(b, ran, series, v)
}

// openWeb starts the server that the parameters describe.
func openWeb(ctx context.Context, b *stage.Bench, pair stage.Pair, v parameter.Values) (*stage.Session, error) {
	spec := web.Spec{Port: webPort, BodyBytes: v.Bytes("body-size"), Delay: v.Duration("server-delay"), Pause: v.Duration("server-pause")}
	if spec.Pause > 0 {
		spec.Every = httpPauses
	}
	return serveWeb(ctx, b, pair.Server, spec)
}

// serveWeb starts a web server in a pod and returns when it listens.
func serveWeb(ctx context.Context, b *stage.Bench, pod cluster.Pod, spec web.Spec) (*stage.Session, error) {
	server, err := stage.Open(ctx, "web server in "+pod.Name, stage.ProbeInPod(b.Cluster, pod), "web", spec)
	if err != nil {
		return nil, err
	}
	var ready web.Ready
	if err := server.Read(probe.FrameReady, &ready); err != nil {
		server.Close()
		return nil, err
	}
	return server, nil
}

// fetch proves that our server answers at every address.
func fetch(ctx context.Context, b *stage.Bench, pair stage.Pair, spec web.FetchSpec) error {
	client, err := stage.Open(ctx, "probe in "+pair.Client.Name, stage.ProbeInPod(b.Cluster, pair.Client), "fetch", spec)
	if err != nil {
		return err
	}
	defer client.Close()
	var fetched web.Fetched
	if err := client.Read(probe.FrameFetched, &fetched); err != nil {
		return err
	}
	for target, why := range fetched.Missing {
		return fmt.Errorf("the web server was reached at %d of %d addresses; at %s: %s", fetched.Reached, len(spec.Targets), target, why)
	}
	return nil
}

// runHTTP sends the load while the samplers run.
func runHTTP(ctx context.Context, b *stage.Bench, pair stage.Pair, goal httpGoal, v parameter.Values) (httpRun, stage.Sampled, error) {
	ran := httpRun{pair: pair, goal: goal}
	spec, err := httpSpec(goal, v)
	if err != nil {
		return ran, stage.Sampled{}, err
	}
	commands, pods := map[string]any{"client": spec, "clientPod": pair.Client}, []cluster.Pod{pair.Client}
	if goal.target == nil {
		commands["serverPod"], pods = pair.Server, append(pods, pair.Server)
	}
	if err := b.KeepJSON("commands.json", commands); err != nil {
		return ran, stage.Sampled{}, err
	}
	sampling, err := b.StartSampling(ctx, v.Duration(duration.Name), pods...)
	if err != nil {
		return ran, stage.Sampled{}, err
	}
	if err := runK6(ctx, b, &ran, spec); err != nil {
		sampling.Cancel()
		return ran, stage.Sampled{}, err
	}
	series, err := sampling.Stop(ctx)
	return ran, series, err
}

// endWeb ends the server, which then reports.
func endWeb(b *stage.Bench, server *stage.Session, ran *httpRun) error {
	server.Close()
	if err := server.Read(probe.FrameWeb, &ran.server); err != nil {
		return err
	}
	return b.KeepJSON("server.json", ran.server)
}

func httpSpec(goal httpGoal, v parameter.Values) (probe.LoadSpec, error) {
	k6 := load.K6{
		Rate: v.Integer("rate"), Users: v.Integer("users"), Duration: v.Duration(duration.Name), Omit: v.Duration(omit.Name), Timeout: httpTimeout,
		Host: goal.header,
	}
	for _, host := range goal.hosts {
		k6.Targets = append(k6.Targets, "http://"+host+"/")
	}
	if goal.target != nil {
		if err := askTarget(&k6, *goal.target); err != nil {
			return probe.LoadSpec{}, err
		}
	}
	process, err := k6.Process()
	timeout := k6.Omit + k6.Duration + httpTimeout + k6Start(k6.Users)
	return probe.LoadSpec{Processes: []probe.Process{process}, Timeout: timeout}, err
}

// k6Start is what k6 may take to make its users and to end.
func k6Start(users int) time.Duration {
	return stage.LoadGrace + time.Duration(users)*10*time.Millisecond
}

// runK6 runs k6 in the client's pod and keeps what it wrote.
func runK6(ctx context.Context, b *stage.Bench, ran *httpRun, spec probe.LoadSpec) error {
	where := "k6 in " + ran.pair.Client.Name
	client, err := stage.Open(ctx, where, stage.ProbeInPod(b.Cluster, ran.pair.Client), "load", spec)
	if err != nil {
		return err
	}
	defer client.Close()
	err = client.Read(probe.FrameReport, &ran.client)
	var failed *stage.LoadError
	if errors.As(err, &failed) {
		// The probe quotes what the look-up of a program says.
		if strings.Contains(failed.Report.Reason, stage.ProgramNotFound) {
			return &stage.UnsupportedError{Reason: "the load image has no k6"}
		}
		return errors.Join(err, keepK6(b, failed.Report))
	}
	if err != nil {
		return err
	}
	return keepK6(b, ran.client)
}

// keepK6 writes what k6 wrote to files of their own, and the rest.
func keepK6(b *stage.Bench, report probe.LoadReport) error {
	report.Processes = slices.Clone(report.Processes)
	for i := range report.Processes { // one
		p := &report.Processes[i]
		b.Keep("k6.json", []byte(p.Stdout))
		b.Keep("k6.stderr", []byte(p.Stderr))
		p.Stdout, p.Stderr = "", ""
	}
	return b.KeepJSON("client.json", report)
}
