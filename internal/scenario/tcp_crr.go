package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
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
		Parameters: rrParameters(requestRate.With("0"), stage.AnyClient),
		Run:        measureCRR,
	})
}

func measureCRR(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	ran, err := runRR(ctx, b, rrOf(pace.TCPCRR, cell.Parameters), nil)
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateCRR(b, ran)
}

// evaluateCRR adds the rate of a closed loop.
func evaluateCRR(b *stage.Bench, ran rrRun) (stage.Measurement, error) {
	m, err := evaluateRR(b, ran)
	if err != nil || !ran.report.Closed {
		return m, err
	}
	rate := float64(ran.report.Counts.Answered) / ran.load.client.Duration.Seconds()
	m.Values = append([]result.Value{{Metric: connectRate, Value: rate}}, m.Values...)
	return m, nil
}
