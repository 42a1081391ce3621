package scenario

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe/pace"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// churnRate is how fast connections begin. A closed loop would wait for a
// table that is full, and so never find out.
var churnRate = parameter.Parameter{
	Name: requestRate.Name, Kind: parameter.Integer, Default: []string{"2000"}, Min: "1", Max: "20000",
	Help: "new connections per second, begun whether or not others are answered",
}

// newPerPort is how many connections go to one port of the server. Linux moves
// on by some nine of its 28,232 local ports with each connection to the same
// port of the same host, by two at least before 5.18, so that no connection of
// a trial has the addresses and ports of another: each is an entry of its own.
const newPerPort = 1500

func init() {
	register(Scenario{
		Name:  "connection-churn",
		Title: "new connections faster than tables of connections forget the old ones",
		Description: "Connections at a fixed rate, each with one request and its answer, then closed, and none with the addresses and ports of another. " +
			"Tables of connections remember the closed ones for seconds to minutes, so that they fill: nf_conntrack of the nodes' kernels, and the BPF maps that the plugin's entry in the catalog names. " +
			"A table is passed when rate times duration, warm-up included, is more than fits; map-fill and the facts say what was reached. " +
			"A full table either refuses new connections, which are then unanswered, or throws out the entry that was unused for longest, which harms only who still needed it: the facts say which. " +
			"Latency counts from the intended start of the connection; those without an answer in time count as slower than all others. " +
			"The size of nf_conntrack is the kernel's, for all nodes of a lab the same, and is not changed. " +
			"Nor are tables emptied between trials: the facts have the entries before.",
		Metrics:    churnMetrics(),
		Parameters: churnParameters(),
		Misfit:     churnMisfit,
		Run:        measureChurn,
	})
}

func churnMetrics() []result.Metric {
	return slices.Concat(rrMetrics[:2], []result.Metric{connectP50, connectP99, mapFill}, churnUnanswered, conntrackMetrics(), rrMetrics[2:])
}

// churnParameters are those of requests, but for connections: each request has
// one.
func churnParameters() []parameter.Parameter {
	return slices.DeleteFunc(rrParameters(churnRate), func(p parameter.Parameter) bool { return p.Name == connections.Name })
}

func churnMisfit(v parameter.Values) (problem, remedy string) {
	if want, most := newConnections(v), newPerPort*pace.MaxPorts; want > most {
		return fmt.Sprintf("%d connections are more than the %d that can all differ", want, most), "lower rate or duration"
	}
	return "", ""
}

// newConnections is how many a trial begins, about: gaps vary.
func newConnections(v parameter.Values) int {
	return v.Integer(churnRate.Name) * int(math.Ceil((v.Duration(omit.Name) + v.Duration(duration.Name)).Seconds()))
}

// churnOf is the load, spread over ports of the server.
func churnOf(v parameter.Values) rrLoad {
	values := maps.Clone(v)
	values[connections.Name] = "1" // is asked before the clock starts
	l := rrOf(pace.TCPCRR, values)
	for i := range (newConnections(v) - 1) / newPerPort {
		l.server.Further = append(l.server.Further, rrPort+1+i)
	}
	return l
}

func measureChurn(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	l := churnOf(cell.Parameters)
	pair, err := b.Stage.Pair(ctx, l.ends)
	if err != nil {
		return stage.Measurement{}, err
	}
	before := readTables(ctx, b, pair)
	ran, err := runRR(ctx, b, l, nil)
	if err != nil {
		return stage.Measurement{}, err
	}
	// At once: the first entries are forgotten after ten seconds.
	return evaluateChurn(b, ran, before, readTables(ctx, b, pair))
}

func evaluateChurn(b *stage.Bench, ran rrRun, before, after nodeTables) (stage.Measurement, error) {
	m, err := evaluateRR(b, ran)
	if err != nil {
		return m, err
	}
	for name, all := range map[string]nodeTables{"tables-before.json": before, "tables-after.json": after} {
		if err := b.KeepJSON(name, all); err != nil {
			return m, err
		}
	}
	figures, facts := tableFigures(before, after)
	figures.Values = append(figures.Values, unansweredBy(ran.report.Counts)...)
	m.Follow(figures)
	maps.Copy(m.Facts, facts)
	m.Facts["connections"] = fmt.Sprintf("%d begun for the window, to %d ports of the server", ran.report.Counts.Sent, ran.load.ports().Count)
	return m, nil
}

// Reasons why a connection brought no answer, and what else there is.
var churnUnanswered = []result.Metric{
	unansweredFor("timeout", "connections that stood too late or never, or whose answer did not come in time, of all"),
	unansweredFor("refused", "connections that the server's host refused, of all"),
	unansweredFor("reset", "connections that were reset before their answer, of all"),
	unansweredFor("other", "connections that ended without an answer for other reasons, of all; the mark requests-unanswered names them"),
}

func unansweredFor(reason, help string) result.Metric {
	m := unanswered
	m.Name, m.Help = m.Name+"-"+reason, help
	return m
}

// unansweredBy splits the share of requests without an answer by its reasons.
func unansweredBy(c pace.Counts) []result.Value {
	counts := make([]int64, len(churnUnanswered))
	counts[0] = c.TimedOut
	for reason, n := range c.Failed {
		switch reason {
		case "timed out":
			counts[0] += n
		case "refused":
			counts[1] += n
		case "reset":
			counts[2] += n
		default:
			counts[3] += n
		}
	}
	values := make([]result.Value, len(counts))
	for i, n := range counts {
		values[i] = result.Value{Metric: churnUnanswered[i], Value: 100 * float64(n) / float64(c.Intended)}
	}
	return values
}
