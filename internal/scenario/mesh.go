package scenario

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of mesh. Those of single pairs are in the group result.BetweenNodes.
var (
	pairThroughput = result.Metric{Name: "pair-throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload of one pair of nodes in one direction, median over all pairs and directions measured"}
	pairThroughputMin = result.Metric{Name: "pair-throughput-min", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05,
		Help: "received payload of the slowest pair and direction; the fact \"slowest pair\" names it"}
	pairSpread = result.Metric{Name: "pair-spread", Unit: "percent", Better: result.Lower, Scale: result.Difference, Margin: 5,
		Help: "throughput of the fastest pair less that of the slowest, in per cent of the median"}
	roundThroughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload of all pairs that run at once together, median of the rounds"}
)

// Parameters of load between many nodes.
var (
	fleetEnds = parameter.Parameter{
		Name: "ends", Kind: parameter.Choice, Default: []string{stage.InPod}, Choices: []string{stage.InPod, stage.OnHost},
		Help: "whether the load runs in pods' networks or in their nodes'",
	}
	parallelPairs = parameter.Parameter{
		Name: "parallel", Kind: parameter.Boolean, Default: []string{"true"},
		Help: "whether all pairs of a round run at once; otherwise one pair after the other",
	}
)

func init() {
	register(Scenario{
		Name:  "mesh",
		Title: "TCP throughput between every two nodes",
		Description: "One TCP connection of iperf3 between each pair of nodes that carry load, closed loop, in rounds in which no node is in two pairs: n nodes need n−1 rounds, or n where n is odd. " +
			"With direction bidir, the default, each pair has one more connection for the way back at the same time. " +
			"The pairs of a round run at once, so that a round also is what the nodes carry together; with parallel false, pairs run one after the other. " +
			"Throughput is the payload that a receiver counted in the time in which all of a round's connections ran; " +
			"where a machine was too busy for them to run at once, it is each connection's own, after its warm-up, the trial is marked rounds-apart, and what a round carried together is missing. " +
			"The matrix, one value per pair and direction, is in the group between nodes, and reports draw it. " +
			"CPU and memory are of the time from the first round to the last, with the pauses between rounds; CPU per Gbit/s is the median of the rounds. " +
			"In a lab all nodes share one CPU: pairs that run at once share it too, and a matrix shows the scheduler more than the network.",
		Metrics: []result.Metric{
			pairThroughput, pairThroughputMin, pairSpread, roundThroughput, stage.CPUPerGbit, stage.CPUPerGbitNet, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory,
		},
		Parameters: []parameter.Parameter{duration.With("3s"), omit.With("1s"), direction.With("bidir"), parallelPairs, fleetEnds},
		// Of three nodes, which is what a lab has that nobody asked to have more.
		Expected:   func(v parameter.Values) time.Duration { return meshTakes(v, 3) },
		ExpectedOn: meshTakes,
		Beyond:     func(_ parameter.Values, at Setting) string { return at.needsTwo("a mesh") },
		Run:        measureMesh,
	})
}

// meshTakes is how long the rounds of so many nodes take.
func meshTakes(v parameter.Values, nodes int) time.Duration {
	rounds := len(meshRounds(nodes))
	if !v.Boolean(parallelPairs.Name) {
		rounds = nodes * (nodes - 1) / 2 // each pair has its own
	}
	return time.Duration(rounds) * (v.Duration(duration.Name) + v.Duration(omit.Name) + time.Second)
}

func measureMesh(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	v := cell.Parameters
	nodes := b.Cluster.LoadNodes()
	if len(nodes) < 2 {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: stage.OneNode("a mesh", nodes...)}
	}
	berths := make([]stage.Berth, len(nodes))
	for i, node := range nodes {
		berths[i] = stage.Berth{Node: node, Number: 1}
	}
	members, err := b.Stage.Fleet(ctx, v.Text(fleetEnds.Name), berths)
	if err != nil {
		return stage.Measurement{}, err
	}
	rounds := meshFlows(members, v.Text(direction.Name), v.Boolean(parallelPairs.Name))
	// Before the samplers run: proofs are no part of the load.
	if err := proveFlows(ctx, b, slices.Concat(rounds...)); err != nil {
		return stage.Measurement{}, err
	}
	var runs []flowsRun
	samples, err := sampled(ctx, b, v.Duration(duration.Name), members, func() error {
		for i, list := range rounds {
			l := flows{list: list, duration: v.Duration(duration.Name), omit: v.Duration(omit.Name), series: fmt.Sprintf("round-%d-", i+1), separable: true}
			ran, err := runFlows(ctx, b, l)
			if err != nil {
				return fmt.Errorf("round %d of %d: %w", i+1, len(rounds), err)
			}
			runs = append(runs, ran)
		}
		return nil
	})
	if err != nil {
		return stage.Measurement{}, err
	}
	return evaluateMesh(ctx, b, nodes, runs, samples)
}

// meshFlows are the connections of every round.
func meshFlows(members []stage.FleetPod, direction string, parallel bool) [][]flow {
	var rounds [][]flow
	for _, pairs := range meshRounds(len(members)) {
		var round []flow
		for _, pair := range pairs {
			ways := bulk{streams: 1, direction: direction}.ways()
			for _, reverse := range ways {
				round = append(round, flow{members[pair[0]], members[pair[1]], reverse})
			}
			if !parallel {
				rounds, round = append(rounds, round), nil
			}
		}
		if len(round) > 0 {
			rounds = append(rounds, round)
		}
	}
	return rounds
}

// between is what went from one node to another.
type between struct {
	from, to      string
	bitsPerSecond float64
}

func (p between) words() string {
	return fmt.Sprintf("%s to %s, %.4g Gbit/s", p.from, p.to, p.bitsPerSecond/1e9)
}

// pairs are the rates of a load's connections.
func (r flowsRun) pairs() []between {
	all := make([]between, len(r.list))
	for i, f := range r.list {
		from, to := f.ends()
		all[i] = between{from, to, r.PerStream[i]}
	}
	return all
}

func evaluateMesh(ctx context.Context, b *stage.Bench, nodes []string, runs []flowsRun, samples stage.Sampled) (stage.Measurement, error) {
	m, _ := b.MeasureWindow("", spanning(runs), samples)
	var pairs []between
	var costs []stage.Figures
	var limited, lines []string
	for i, ran := range runs {
		pairs = append(pairs, ran.pairs()...)
		cost, err := roundCost(b, ran, i+1, samples)
		if err != nil {
			return stage.Measurement{}, err
		}
		costs = append(costs, cost)
		for _, who := range ran.Limited {
			limited = append(limited, fmt.Sprintf("round %d: %s", i+1, who))
		}
		marks, line, err := ran.checkLines(ctx, b)
		if err != nil {
			return stage.Measurement{}, err
		}
		m.Marks, lines = append(m.Marks, marks...), append(lines, line)
		if ran.congestion != runs[0].congestion {
			return stage.Measurement{}, &stage.InvalidError{Reason: fmt.Sprintf("congestion control is %s in round 1 and %s in round %d", runs[0].congestion, ran.congestion, i+1)}
		}
	}
	f := meshFigures(pairs)
	f.Merge(medianFigures(costs))
	f.Marks = append(f.Marks, stage.LimitedMarks(limited)...)
	m.Lead(f)
	m.Follow(matrixFigures(pairs))
	m.Marks = onePerName(m.Marks)
	slices.SortStableFunc(pairs, func(x, y between) int { return cmp.Compare(x.bitsPerSecond, y.bitsPerSecond) })
	maps.Copy(m.Facts, flowFacts(runs[0]))
	maps.Copy(m.Facts, map[string]string{
		"nodes": strings.Join(nodes, ", "), "rounds": roundWords(runs), "line rate": lines[0],
		"slowest pair": pairs[0].words(), "fastest pair": pairs[len(pairs)-1].words(),
	})
	return m, nil
}

// markApart says that the connections of a round did not all measure at the same
// time.
const markApart = "rounds-apart"

// roundCost is what a round carried together, and at what cost; with a mark,
// and without these figures, where its connections did not run at once.
func roundCost(b *stage.Bench, ran flowsRun, round int, samples stage.Sampled) (stage.Figures, error) {
	var f stage.Figures
	if ran.apart != "" {
		f.Lack(fmt.Sprintf("the connections of round %d did not all measure at the same time", round),
			roundThroughput, stage.CPUPerGbit, stage.CPUPerGbitNet, stage.EnergyPerGbit)
		f.Marks = []result.Mark{{Name: markApart, Detail: fmt.Sprintf("round %d: %s", round, ran.apart)}}
		return f, nil
	}
	if err := keepThroughput(b, ran.series, ran.streams); err != nil {
		return f, err
	}
	_, ms := b.MeasureWindow(ran.series, ran.Window, samples)
	f.Add(roundThroughput, ran.BitsPerSecond)
	f.Merge(stage.CostFigures(ran.BitsPerSecond, ms, b.Unattributed()))
	return f, nil
}

// meshFigures sum the matrix up.
func meshFigures(pairs []between) stage.Figures {
	rates := make([]float64, len(pairs))
	for i, p := range pairs {
		rates[i] = p.bitsPerSecond
	}
	var f stage.Figures
	middle := medianOf(rates)
	f.Add(pairThroughput, middle)
	f.Add(pairThroughputMin, slices.Min(rates))
	f.Add(pairSpread, 100*(slices.Max(rates)-slices.Min(rates))/middle)
	return f
}

// matrixFigures are the fields of the matrix, by the nodes' names.
func matrixFigures(pairs []between) stage.Figures {
	var f stage.Figures
	pairs = slices.SortedFunc(slices.Values(pairs), func(x, y between) int {
		return cmp.Or(strings.Compare(x.from, y.from), strings.Compare(x.to, y.to))
	})
	for _, p := range pairs {
		f.Add(result.Metric{
			Name: result.PairName(p.from, p.to), Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05, Group: result.BetweenNodes,
			Help: "received payload of the connection from the first node to the second",
		}, p.bitsPerSecond)
	}
	return f
}

// roundWords says who met when.
func roundWords(runs []flowsRun) string {
	var rounds []string
	for i, ran := range runs {
		var pairs []string
		for _, f := range ran.list {
			if pair := f.client.Pod.Node + "–" + f.server.Pod.Node; !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
		rounds = append(rounds, fmt.Sprintf("%d: %s", i+1, strings.Join(pairs, ", ")))
	}
	return strings.Join(rounds, "; ")
}
