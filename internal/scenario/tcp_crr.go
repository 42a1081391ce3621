package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
)

var connectRate = result.Metric{Name: "connect-rate", Unit: "1/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05,
	Help: "connections per second, each with a request and its answer, in a closed loop"}

func init() {
	register(Scenario{
		Name:  "tcp-crr",
		Title: "rate and latency of TCP connections with one request each",
		Description: "Connect, request, answer, close. By default the loop is closed, with as many connections at once as the parameter says: connect-rate is then a capacity, " +
			"and the metric to compare. With a rate it is open: connect-rate is not reported, and latencies, from the intended start of the connection, are to be compared. " +
			"The server closes, so that the client's ports are free at once. " +
			"Connections without an answer in time count as slower than all others. One thread at each end does the work; a thread at 95 % of a core, " +
			"or connections that begin late, mark the trial generator-limited.",
		Metrics:    append([]result.Metric{connectRate, connectP50, connectP99}, rrMetrics...),
		Parameters: rrParameters(requestRate.With("0")),
		Run:        measureCRR,
	})
}

func measureCRR(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error) {
	ran, err := b.runRR(ctx, rrOf(pace.TCPCRR, cell.Parameters), nil)
	if err != nil {
		return Measurement{}, err
	}
	return b.evaluateCRR(ran)
}

// evaluateCRR adds the rate of a closed loop.
func (b *Bench) evaluateCRR(ran rrRun) (Measurement, error) {
	m, err := b.evaluateRR(ran)
	if err != nil || !ran.report.Closed {
		return m, err
	}
	rate := float64(ran.report.Counts.Answered) / ran.load.client.Duration.Seconds()
	m.Values = append([]result.Value{{Metric: connectRate, Value: rate}}, m.Values...)
	return m, nil
}
