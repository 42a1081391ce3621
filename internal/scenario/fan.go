package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of loads that share one end.
var (
	fairness = result.Metric{Name: "fairness", Unit: "percent", Better: result.Higher, Scale: result.Difference, Margin: 2,
		Help: "Jain's index of the connections' throughput: 100 where all get the same, 100/n where one gets everything"}
	slowestShare = result.Metric{Name: "slowest-share", Unit: "percent", Better: result.Higher, Scale: result.Difference, Margin: 5,
		Help: "throughput of the slowest connection, in per cent of the fastest one's"}
)

var fanMetrics = []result.Metric{
	throughput, fairness, slowestShare, stage.CPUPerGbit, stage.CPUPerGbitNet, stage.CPU, retransmits, rtt, stage.CNICPU, stage.CNIMemory, stage.Memory,
}

// fanDescription is what both scenarios have in common.
const fanDescription = "All pods run one iperf3 each, closed loop, and the connections begin at once; those of many pods are spread over all other nodes that carry load, by turns. " +
	"Throughput is of all connections together, in the time in which all ran, after the warm-up; Jain's index (Jain, Chiu, Hawe 1984) and the slowest connection say how it was shared. " +
	"In a lab all nodes share one CPU, so that the scheduler has a part in that. "

func init() {
	many := func(name, help string) parameter.Parameter {
		return parameter.Parameter{
			Name: name, Kind: parameter.Integer, Default: []string{"2", "4", "8"}, Min: "1", Max: fmt.Sprint(stage.MostBerths), Help: help,
		}
	}
	clients, servers := many("clients", "pods that send"), many("servers", "pods that receive")
	register(Scenario{
		Name:  "fan-in",
		Title: "TCP throughput from many pods to one",
		Description: "Many client pods send to one server pod on the second of the nodes that carry load: what a database or a collector of logs sees. " +
			"The server's pod has an iperf3 for each client, because one has a single thread. " + fanDescription,
		Metrics:    fanMetrics,
		Parameters: []parameter.Parameter{clients, duration.With("5s"), omit.With("1s"), fleetEnds},
		Beyond:     func(_ parameter.Values, at Setting) string { return at.needsTwo("fan-in") },
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measureFan(ctx, b, cell, fan{in: true, many: cell.Parameters.Integer(clients.Name)})
		},
	})
	register(Scenario{
		Name:  "fan-out",
		Title: "TCP throughput from one pod to many",
		Description: "One client pod on the first of the nodes that carry load sends to many server pods: what a cache or a distributor of images does. " +
			"The client's pod has an iperf3 for each server, because one has a single thread. " + fanDescription,
		Metrics:    fanMetrics,
		Parameters: []parameter.Parameter{servers, duration.With("5s"), omit.With("1s"), fleetEnds},
		Beyond:     func(_ parameter.Values, at Setting) string { return at.needsTwo("fan-out") },
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measureFan(ctx, b, cell, fan{many: cell.Parameters.Integer(servers.Name)})
		},
	})
}

// fan is a load from many pods to one, or from one to many.
type fan struct {
	in   bool
	many int
}

// berths are the places of the one pod, first, and of the many. The one is
// where a pair's server or client is, the many take the other nodes by turns.
func (f fan) berths(nodes []string) []stage.Berth {
	hub := 0
	if f.in {
		hub = 1
	}
	others := slices.Delete(slices.Clone(nodes), hub, hub+1)
	berths := []stage.Berth{{Node: nodes[hub], Number: 1}}
	for i := range f.many {
		berths = append(berths, stage.Berth{Node: others[i%len(others)], Number: 1 + i/len(others)})
	}
	return berths
}

// flows join the first member with each of the others.
func (f fan) flows(members []stage.FleetPod) []flow {
	var list []flow
	for _, other := range members[1:] {
		if f.in {
			list = append(list, flow{client: other, server: members[0]})
		} else {
			list = append(list, flow{client: members[0], server: other})
		}
	}
	return list
}

func measureFan(ctx context.Context, b *stage.Bench, cell plan.Cell, f fan) (stage.Measurement, error) {
	v := cell.Parameters
	nodes := b.Cluster.LoadNodes()
	if len(nodes) < 2 {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: stage.OneNode(cell.Scenario, nodes...)}
	}
	berths := f.berths(nodes)
	members, err := b.Stage.Fleet(ctx, v.Text(fleetEnds.Name), berths)
	if err != nil {
		return stage.Measurement{}, err
	}
	l := flows{list: f.flows(members), duration: v.Duration(duration.Name), omit: v.Duration(omit.Name)}
	if err := proveFlows(ctx, b, l.list); err != nil {
		return stage.Measurement{}, err
	}
	var ran flowsRun
	samples, err := sampled(ctx, b, l.duration, members, func() (err error) {
		ran, err = runFlows(ctx, b, l)
		return err
	})
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateFan(ctx, b, members, ran, samples)
}

func evaluateFan(ctx context.Context, b *stage.Bench, members []stage.FleetPod, ran flowsRun, samples stage.Sampled) (stage.Measurement, error) {
	marks, line, err := ran.checkLines(ctx, b)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := keepThroughput(b, ran.series, ran.streams); err != nil {
		return stage.Measurement{}, err
	}
	m, ms := b.MeasureWindow(ran.series, ran.Window, samples)
	f := tcpFigures(ran.Iperf3Throughput, ms, b.Unattributed())
	f.Add(fairness, 100*jain(ran.PerStream))
	f.Add(slowestShare, 100*slices.Min(ran.PerStream)/slices.Max(ran.PerStream))
	m.Lead(f)
	m.Marks = onePerName(append(m.Marks, marks...))
	maps.Copy(m.Facts, flowFacts(ran))
	pairs := ran.pairs()
	words := make([]string, len(pairs))
	for i, p := range pairs {
		words[i] = p.words()
	}
	maps.Copy(m.Facts, map[string]string{
		"the one": stage.EndWords(members[0].Pod), "connections": strings.Join(words, "; "), "line rate": line,
	})
	return m, nil
}

// jain is the fairness index of Jain, Chiu and Hawe (DEC Research Report
// TR-301, 1984): the square of the sum over n times the sum of squares, from
// 1/n to 1.
func jain(shares []float64) float64 {
	var sum, squares float64
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(shares)) * squares)
}
