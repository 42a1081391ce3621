package scenario

import (
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
)

// rrMetric describes a time that requests took.
func rrMetric(name string, margin float64, help string) result.Metric {
	return result.Metric{Name: name, Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: margin, Help: help}
}

// Metrics of paced requests. Latency is response time: it counts from when a
// request was to be sent.
var (
	rrP99  = rrMetric("latency-p99", 0.10, "99th percentile of the time from a request's intended sending to the end of its answer")
	rrP50  = rrMetric("latency-p50", 0.05, "median of the time from a request's intended sending to the end of its answer")
	rrP95  = rrMetric("latency-p95", 0.10, "95th percentile of the time from a request's intended sending to the end of its answer")
	rrP999 = rrMetric("latency-p999", 0.20, "99.9th percentile of the time from a request's intended sending to the end of its answer; needs 10,000 requests")
	rrMean = rrMetric("latency-mean", 0.05, "mean time from a request's intended sending to the end of its answer, of those answered")
	rrSD   = rrMetric("latency-sd", 0.20, "standard deviation of the time from a request's intended sending to the end of its answer, of those answered")

	serviceP50 = rrMetric("service-p50", 0.05, "median of the time from a request's real sending to the end of its answer")
	serviceP99 = rrMetric("service-p99", 0.10, "99th percentile of the time from a request's real sending to the end of its answer")
	connectP50 = rrMetric("connect-p50", 0.05, "median of the time until a connection stands")
	connectP99 = rrMetric("connect-p99", 0.10, "99th percentile of the time until a connection stands")

	answerRate = result.Metric{Name: "rate", Unit: "1/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "answered requests per second: in an open loop the parameter rate, unless something could not keep up; in a closed one the capacity"}
	unanswered = result.Metric{Name: "unanswered", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "requests without an answer in time, of all; differences are percentage points"}
)

// minimum999 is how many requests a 99.9th percentile needs, so that ten lie
// beyond it (docs/methodology.md, section 3).
const minimum999 = 10000

// markTooFew says that there were fewer requests than minimum999.
const markTooFew = "too-few-samples"

// percentile is one of a distribution, as a metric.
type percentile struct {
	metric   result.Metric
	quantile float64
}

var (
	responsePercentiles = []percentile{{rrP99, .99}, {rrP50, .50}, {rrP95, .95}, {rrP999, .999}}
	servicePercentiles  = []percentile{{serviceP50, .50}, {serviceP99, .99}}
	connectPercentiles  = []percentile{{connectP50, .50}, {connectP99, .99}}
)

// latencyValues are the values of a load of requests, with the marks that
// belong to them. It fails when there was no answer at all.
func latencyValues(r pace.Report, timeout time.Duration) ([]result.Value, []result.Mark, error) {
	c := r.Counts
	if c.Answered == 0 {
		return nil, nil, fmt.Errorf("none of %d requests was answered: %s", c.Intended, lossWords(c))
	}
	var values []result.Value
	var marks []result.Mark
	if c.Missing() > 0 {
		marks = append(marks, result.Mark{Name: "requests-unanswered", Detail: lossWords(c)})
	}
	if c.Intended < minimum999 {
		marks = append(marks, result.Mark{Name: markTooFew, Detail: fmt.Sprintf(
			"%s needs %d requests, and there were %d", rrP999.Name, minimum999, c.Intended)})
	}
	for _, p := range responsePercentiles {
		if p.metric.Name != rrP999.Name || c.Intended >= minimum999 {
			values = append(values, p.of(r.Response, c.Missing(), timeout))
		}
	}
	values = append(values, result.Value{Metric: rrMean, Value: r.Response.Mean().Seconds()})
	if sd := r.Response.StandardDeviation(); sd > 0 { // one answer has none
		values = append(values, result.Value{Metric: rrSD, Value: sd.Seconds()})
	}
	for _, p := range servicePercentiles {
		values = append(values, p.of(r.Service, c.Missing(), timeout))
	}
	if r.Connect.Count() > 0 {
		for _, p := range connectPercentiles {
			values = append(values, p.of(r.Connect, c.Intended-r.Connect.Count(), timeout))
		}
	}
	return append(values,
		result.Value{Metric: answerRate, Value: float64(c.Answered) / r.End.Sub(r.Start).Seconds()},
		result.Value{Metric: unanswered, Value: 100 * float64(c.Missing()) / float64(c.Intended)},
	), marks, nil
}

// of returns the percentile of all requests, those without an answer included:
// they took longer than the timeout. Where the percentile is one of those, the
// timeout is reported, which is the least that it can be, and marked partial:
// leaving it out would make a network that loses look better.
func (p percentile) of(d pace.Distribution, missing int64, timeout time.Duration) result.Value {
	at, ok := d.Percentile(p.quantile, missing)
	if ok {
		return result.Value{Metric: p.metric, Value: at.Seconds()}
	}
	return result.Value{Metric: p.metric, Value: timeout.Seconds(), Partial: fmt.Sprintf(
		"the time beyond the timeout of %v: so many requests have no answer that the percentile is one of them", timeout)}
}

// lossWords says what became of the requests without an answer.
func lossWords(c pace.Counts) string {
	words := fmt.Sprintf("%d of %d requests have no answer in time: %d never had one, %d came late", c.Missing(), c.Intended, c.Lost, c.AnsweredLate)
	for _, reason := range sorted(c.Failed) {
		words += fmt.Sprintf(", %d %s", c.Failed[reason], reason)
	}
	if c.Refused > 0 {
		words += fmt.Sprintf("; hosts refused %d datagrams", c.Refused)
	}
	return words
}
