package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/stage"
)

// Choices of the parameter question.
const (
	cachedName = "cached"
	freshName  = "uncached"
)

var question = parameter.Parameter{
	Name: "question", Kind: parameter.Choice, Default: []string{cachedName, freshName}, Choices: []string{cachedName, freshName},
	Help: "the name of a Service, which the server has just answered, or names that nobody ever asked for and that do not exist",
}

// questionsOf are complete but for the cluster's domain, which the client's
// pod knows.
var questionsOf = map[string][]pace.Question{
	cachedName: {{Name: "kubernetes.default.svc", Expect: pace.NoError}},
	freshName:  {{Name: "*." + stage.Namespace + ".svc", Expect: pace.NXDomain}},
}

func init() {
	register(Scenario{
		Name:  "dns",
		Title: "time that the cluster's DNS takes to answer",
		Description: "Questions for A records over UDP to the cluster IP of kube-system/kube-dns, at a fixed rate, open loop: latency counts from when a question was to be asked. " +
			"Each is asked once, by its full name: a program that goes through the search list of its pod asks several of them, one after the other. " +
			"cached asks for the cluster IP of the Service kubernetes.default, and expects an address; uncached asks for a new name each time, below a namespace of ours, and expects that there is none. " +
			"Other answers (SERVFAIL, no address, cut ones), and none within the timeout, count as slower than all others, and are counted apart in the facts. " +
			"The server's own work is in the figure, and where its pods run decides part of it: compare with the host baseline of the same cluster.",
		Metrics: rrMetrics,
		Parameters: []parameter.Parameter{
			question, requestRate.With("1500"), connections, requestGaps, seed, duration, omit.With("1s"), requestTimeout.With("1s"), stage.ClientEnd,
		},
		Requires: Requires{DNS: true, Services: true},
		Run:      measureDNS,
	})
}

func measureDNS(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	pair, err := b.Stage.Pair(ctx, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	target, err := nameServer(ctx, b, pair)
	if err != nil {
		return stage.Measurement{}, err
	}
	spec := pace.Spec{
		Kind: pace.DNS, Target: target, Questions: questionsOf[v.Text(question.Name)],
		Connections: v.Integer(connections.Name), Rate: float64(v.Integer(requestRate.Name)), Gaps: pace.Gaps(v.Text(requestGaps.Name)),
		Seed: uint64(v.Integer(seed.Name)), Duration: v.Duration(duration.Name), Omit: v.Duration(omit.Name), Timeout: v.Duration(requestTimeout.Name),
	}
	servers, err := b.Cluster.DNSServers(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	report, samples, err := askDNS(ctx, b, pair, spec)
	if err := sameServers(ctx, b, servers, err); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateDNS(b, pair, spec, report, samples)
}

// nameServer is where the cluster's DNS answers the pair's client, which it
// does when this returns.
func nameServer(ctx context.Context, b *stage.Bench, pair stage.Pair) (target string, err error) {
	address, missing, err := b.Cluster.DNS(ctx)
	if err != nil {
		return "", err
	}
	if missing != "" {
		return "", &stage.UnsupportedError{Reason: missing}
	}
	return net.JoinHostPort(address, "53"), b.Stage.AwaitDNS(ctx, pair.Client)
}

// askDNS asks while the samplers run.
func askDNS(ctx context.Context, b *stage.Bench, pair stage.Pair, spec pace.Spec) (pace.Report, stage.Sampled, error) {
	sampling, err := b.StartSampling(ctx, spec.Duration, pair.Client)
	if err != nil {
		return pace.Report{}, stage.Sampled{}, err
	}
	report, err := paceRequests(ctx, b, b.ClientEnd(pair), spec)
	if err != nil {
		sampling.Cancel()
		return pace.Report{}, stage.Sampled{}, err
	}
	samples, err := sampling.Stop(ctx)
	return report, samples, err
}

// sameServers fails when the pods that serve the DNS are not those of before:
// what was measured is then how they are replaced. failed is the load's own
// error, which follows from that.
func sameServers(ctx context.Context, b *stage.Bench, before map[string]string, failed error) error {
	after, err := b.Cluster.DNSServers(ctx)
	if err != nil || maps.Equal(before, after) {
		return errors.Join(failed, err)
	}
	return errors.Join(fmt.Errorf("the pods that serve the cluster's DNS changed during the trial: before %s; after %s",
		serverWords(before), serverWords(after)), failed)
}

func serverWords(servers map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(servers)), ", ")
}

func evaluateDNS(b *stage.Bench, pair stage.Pair, spec pace.Spec, report pace.Report, samples stage.Sampled) (stage.Measurement, error) {
	values, marks, err := latencyValues(report, spec.Timeout)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("DNS at %s: %w", spec.Target, err)
	}
	m, _ := b.MeasureWindow("", sample.Window{Start: report.Start, End: report.End}, samples)
	m.Values, m.Marks = append(values, m.Values...), append(marks, m.Marks...)
	m.Marks = append(m.Marks, stage.LimitedMarks(report.Limits())...)
	maps.Copy(m.Facts, requestFacts(report))
	m.Facts["client"], m.Facts["name server"] = stage.EndWords(pair.Client), spec.Target
	for _, says := range sorted(report.Counts.Answers) {
		m.Facts["answers "+says] = fmt.Sprint(report.Counts.Answers[says])
	}
	m.Facts["questions timed out"] = fmt.Sprint(report.Counts.TimedOut)
	return m, nil
}
