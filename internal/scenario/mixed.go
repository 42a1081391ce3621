package scenario

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of the questions in a mix.
var (
	dnsP99 = rrMetric("dns-latency-p99", 0.10, "99th percentile of the time from a question's intended sending to the end of its answer")
	dnsP50 = rrMetric("dns-latency-p50", 0.05, "median of the time from a question's intended sending to the end of its answer")
	dnsOK  = result.Metric{Name: "dns-unanswered", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "questions without a right answer in time, of all; differences are percentage points"}
)

// dnsMetrics are those of the questions by the names that they have alone.
var dnsMetrics = map[string]result.Metric{rrP99.Name: dnsP99, rrP50.Name: dnsP50, unanswered.Name: dnsOK}

// Parameters of the questions in a mix.
var (
	questionRate = parameter.Parameter{
		Name: "dns-rate", Kind: parameter.Integer, Default: []string{"200"}, Min: "1", Max: "50000",
		Help: "questions per second to the cluster's DNS",
	}
	questionTimeout = parameter.Parameter{
		Name: "dns-timeout", Kind: parameter.Duration, Default: []string{"1s"}, Min: "10ms", Max: "1m",
		Help: "how long after its intended sending a question may be answered",
	}
)

func init() {
	register(Scenario{
		Name:  "mixed",
		Title: "bulk load, requests and DNS questions at the same time",
		Description: "Three loads at once, as a node with several programs has them: bulk TCP by iperf3 and paced requests as in latency-under-load, between the same two ends, " +
			"and from the client questions to the cluster's DNS as in dns, half of them for a name that is cached and half for new ones. " +
			"The primary metric is the requests' 99th percentile; that of the questions and the bulk load's throughput stand beside it. " +
			"The bulk load is a fraction of what this variant carries, measured just before, or a rate; one that did not reach it is marked load-not-reached. " +
			"Without a DNS in the cluster there is no such mix, and the scenario is unsupported: a lab that measures it has one. " + rrDescription,
		Metrics: append([]result.Metric{rrP99, dnsP99, loadCarried, dnsP50, dnsOK, capacity}, rrMetrics[1:]...),
		Parameters: append([]parameter.Parameter{backgroundLoad.With("0.5"), backgroundStreams, capacityTime, questionRate, questionTimeout},
			rrParameters(requestRate.With("1000"), omit.With("2s"))...),
		Requires: Requires{DNS: true, Services: true},
		Expected: expectedUnderLoad,
		Misfit:   mixedMisfit,
		Run:      measureMixed,
	})
}

// mixedMisfit refuses a mix without one of its parts.
func mixedMisfit(v parameter.Values) (problem, remedy string) {
	l, err := parseBackground(v.Text(backgroundLoad.Name))
	if err == nil && !l.any() {
		return "load 0 leaves the bulk load out of the mix", "give a fraction above 0 or a rate, or measure tcp-rr and dns by themselves"
	}
	return backgroundMisfit(v)
}

// questionsOfMix are those of dns, by turns.
func questionsOfMix() []pace.Question {
	return append(questionsOf[cachedName][:1:1], questionsOf[freshName]...)
}

// questionSpec is what the mix asks, as long as the requests run.
func questionSpec(target string, requests pace.Spec, v parameter.Values) pace.Spec {
	return pace.Spec{
		Kind: pace.DNS, Target: target, Questions: questionsOfMix(), Connections: 4, Rate: float64(v.Integer(questionRate.Name)),
		Gaps: requests.Gaps, Seed: requests.Seed, Duration: requests.Duration, Omit: requests.Omit, Timeout: v.Duration(questionTimeout.Name),
	}
}

// mixedRun is what became of the three loads.
type mixedRun struct {
	requests  rrRun
	questions pace.Report
	timeout   time.Duration // of a question
	carried   load.Iperf3Throughput
	with      beside
}

func measureMixed(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	asked, err := parseBackground(v.Text(backgroundLoad.Name))
	if err != nil {
		return stage.Measurement{}, err
	}
	requests := rrOf(pace.TCPRR, v)
	ran := mixedRun{timeout: v.Duration(questionTimeout.Name)}
	if ran.with, err = placeBeside(ctx, b, asked, requests, v); err != nil {
		return stage.Measurement{}, err
	}
	target, err := nameServer(ctx, b, ran.with.pair)
	if err != nil {
		return stage.Measurement{}, err
	}
	servers, err := b.Cluster.DNSServers(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	l, questions := ran.with.around(requests.client), questionSpec(target, requests.client, v)
	ran.requests, err = runTogether(ctx, b, requests,
		func(ctx context.Context) (err error) {
			if ran.carried, err = carryBulk(ctx, b, ran.with, l); err != nil {
				return fmt.Errorf("bulk load: %w", err)
			}
			return nil
		},
		func(ctx context.Context) (err error) {
			if ran.questions, err = paceRequests(ctx, b.EvidenceIn("dns"), b.ClientEnd(ran.with.pair), questions); err != nil {
				return fmt.Errorf("DNS: %w", err)
			}
			return nil
		})
	if err := sameServers(ctx, b, servers, err); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateMixed(b, ran, target)
}

func evaluateMixed(b *stage.Bench, ran mixedRun, target string) (stage.Measurement, error) {
	if err := carriedDuring(ran.carried, ran.questions, "questions"); err != nil {
		return stage.Measurement{}, err
	}
	m, err := evaluateBeside(b, ran.requests, ran.carried, ran.with)
	if err != nil {
		return stage.Measurement{}, err
	}
	answered, marks, err := questionFigures(ran.questions, ran.timeout)
	if err != nil {
		return stage.Measurement{}, fmt.Errorf("DNS at %s: %w", target, err)
	}
	m.Follow(stage.Figures{Values: answered, Marks: marks})
	m.Marks = onePerName(m.Marks)
	counts := ran.questions.Counts
	maps.Copy(m.Facts, map[string]string{
		"name server": target, "questions": fmt.Sprintf("%d asked, %d answered", counts.Intended, counts.Answered),
		"questions timed out": fmt.Sprint(counts.TimedOut),
	})
	for _, says := range sorted(counts.Answers) {
		m.Facts["answers "+says] = fmt.Sprint(counts.Answers[says])
	}
	return m, nil
}

// questionFigures are the values of the questions, under names that tell them
// from the requests', and their marks. That few were asked is no news: they are
// not there for the highest percentile.
func questionFigures(r pace.Report, timeout time.Duration) (values []result.Value, marks []result.Mark, err error) {
	all, marked, err := latencyValues(r, timeout)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range all {
		if metric, reported := dnsMetrics[v.Name]; reported {
			v.Metric = metric
			values = append(values, v)
		}
	}
	for _, mark := range marked {
		if mark.Name != markTooFew {
			mark.Detail = "DNS: " + mark.Detail
			marks = append(marks, mark)
		}
	}
	for _, mark := range stage.LimitedMarks(r.Limits()) {
		mark.Detail = "DNS: " + mark.Detail
		marks = append(marks, mark)
	}
	return values, marks, nil
}
