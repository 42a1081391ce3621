package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

var (
	cniMemoryGrowth = result.Metric{Name: "cni-memory-growth", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "working set of the plugin's own pods with the pods there, less what it was right before them"}
	memoryPerPod = result.Metric{Name: "memory-per-pod", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 256 << 10,
		Help: "working set of everything that runs for the cluster with the pods there, less what it was right before them, per pod; the pods' own is in it"}
	allRunning = result.Metric{Name: "all-running", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call for a pod until the API said of the last one that it runs"}
)

// densityPods is how many pods are made on the node, besides those that are
// there.
var densityPods = parameter.Parameter{
	Name: "pods", Kind: parameter.Integer, Default: []string{"100", "250", "500"}, Min: "1", Max: "2000",
	Help: "light pods that are made on one node, besides those that are there",
}

// densityAtOnce is how many of the pods start at the same time. How a node
// fares when hundreds start at once is another question: see pod-startup.
const densityAtOnce = 16

// beforePods is how long the node is sampled without them.
const beforePods = 3 * time.Second

// Every pod must answer; a proof need not hurry.
var densityGreeting = probe.GreetSpec{Interval: 500 * time.Millisecond, Timeout: 800 * time.Millisecond, Limit: 30 * time.Second}

func init() {
	register(Scenario{
		Name:  "pod-density",
		Title: "what the plugin's own pods use with many pods on one node",
		Description: "Makes many light pods on one node, at most 16 of which start at the same time, and which echo TCP and do nothing else; waits until all run and one on another node has had a reply " +
			"from each; lets them settle; and samples the machines while nothing happens. Right before, the same is sampled without them: growth and memory per pod " +
			"are differences to that, and of the node's own programs too. Before any pod is made, the kubelet's limit and the addresses of the node's pod CIDR are checked, " +
			"so that a node without room is unsupported and says how much it has; the CIDR binds only where the node's pods have their addresses from it. " +
			"The host baseline makes the same pods in the host's network, each with a port of its own: what a pod costs without a plugin. " +
			"In a lab the figures are of all nodes, which share a kernel; elsewhere of the one with the pods.",
		Metrics:    []result.Metric{stage.CNIMemory, stage.CNICPU, cniMemoryGrowth, memoryPerPod, allRunning, stage.CPU, stage.Memory},
		Parameters: []parameter.Parameter{densityPods, duration, omit.With("5s")},
		Expected: func(v parameter.Values) time.Duration {
			const perPod = 400 * time.Millisecond // to start, to be removed
			return v.Duration(duration.Name) + v.Duration(omit.Name) + beforePods + 5*time.Second + time.Duration(v.Integer(densityPods.Name))*perPod
		},
		Beyond: func(v parameter.Values, at Setting) string { return at.tooMany(v.Integer(densityPods.Name)) },
		Run:    measurePodDensity,
	})
}

func measurePodDensity(ctx context.Context, b *stage.Bench, cell plan.Cell) (m stage.Measurement, err error) {
	pair, err := b.Stage.Pair(ctx, endsApart(b))
	if err != nil {
		return stage.Measurement{}, err
	}
	count := cell.Parameters.Integer(densityPods.Name)
	room, err := roomFor(ctx, b, pair.Server.Node, count)
	if err != nil {
		return stage.Measurement{}, err
	}
	before, _, err := sampleIdle(ctx, b.EvidenceIn("before"), 0, beforePods, pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	crowd, err := b.Stage.Gather(ctx, stage.CrowdSpec{Nodes: slices.Repeat([]string{pair.Server.Node}, count), AtOnce: densityAtOnce})
	if err != nil {
		return stage.Measurement{}, err
	}
	defer func() { err = errors.Join(err, crowd.Disperse(ctx)) }()
	if err := b.KeepJSON("pods.json", crowd.Members); err != nil {
		return stage.Measurement{}, err
	}
	if err := allReply(ctx, b, pair.Client, crowd); err != nil {
		return stage.Measurement{}, err
	}
	if m, _, err = sampleIdle(ctx, b, cell.Parameters.Duration(omit.Name), cell.Parameters.Duration(duration.Name), append(crowd.Pods(), pair.Server)...); err != nil {
		return stage.Measurement{}, err
	}
	return densityResult(before, m, crowd, room, pair), nil
}

// endsApart are two ends on two nodes, where there are two.
func endsApart(b *stage.Bench) stage.Ends {
	if len(b.Cluster.LoadNodes()) < 2 {
		return stage.Ends{Placement: stage.SameNode}
	}
	return stage.Ends{Placement: stage.CrossNode}
}

// roomFor refuses a node that has no room for more pods.
func roomFor(ctx context.Context, b *stage.Bench, node string, more int) (stage.Room, error) {
	room, err := b.Stage.Room(ctx, node)
	if err != nil {
		return room, err
	}
	if lacks := room.Lacks(more, b.Entry.HostNetwork()); lacks != "" {
		return room, &stage.UnsupportedError{Reason: lacks}
	}
	return room, nil
}

// allReply returns when every member has answered once.
func allReply(ctx context.Context, b *stage.Bench, client cluster.Pod, crowd *stage.Crowd) error {
	g, err := stage.OpenGreeting(ctx, b.Cluster, client, densityGreeting)
	if err != nil {
		return err
	}
	defer g.Close()
	go func() {
		for _, m := range crowd.Members {
			if g.Greet(probe.GreetTarget{Name: m.Name, Address: m.EchoAddress()}) != nil {
				return // reading says why
			}
		}
	}()
	_, err = allReplies(g, len(crowd.Members))
	return err
}

// allReplies reads what came of every pod, by name. One that gave no reply is an
// error.
func allReplies(g *stage.Greeting, pods int) (map[string]stage.Reply, error) {
	replies := map[string]stage.Reply{}
	var silent []string
	for range pods {
		r, err := g.Reply()
		if err != nil {
			return nil, err
		}
		if replies[r.Name] = r; !r.Replied {
			silent = append(silent, fmt.Sprintf("%s (%d attempts in %.0f s, the last: %s)", r.Name, r.Attempts, r.Took, r.Last))
		}
	}
	if len(silent) == 0 {
		return replies, nil
	}
	slices.Sort(silent)
	const most = 3 // of hundreds
	return nil, fmt.Errorf("%d of %d pods run and do not answer: %s", len(silent), pods, strings.Join(silent[:min(most, len(silent))], ", "))
}

// densityResult adds to what was sampled with the pods what they changed.
func densityResult(before, m stage.Measurement, crowd *stage.Crowd, room stage.Room, pair stage.Pair) stage.Measurement {
	var f stage.Figures
	for _, d := range []struct {
		of, change result.Metric
		per        float64
	}{{stage.CNIMemory, cniMemoryGrowth, 1}, {stage.Memory, memoryPerPod, float64(len(crowd.Members))}} {
		was, lacked := figureOf(before, d.of)
		is, lacks := figureOf(m, d.of)
		if lacked != "" || lacks != "" {
			f.Lack(strings.Join(slices.DeleteFunc([]string{lacked, lacks}, func(why string) bool { return why == "" }), "; "), d.change)
			continue
		}
		f.Add(d.change, (is-was)/d.per)
	}
	first := slices.MinFunc(crowd.Members, func(a, b stage.CrowdPod) int { return a.Called.Compare(b.Called) })
	last := slices.MaxFunc(crowd.Members, func(a, b stage.CrowdPod) int { return a.Running.Compare(b.Running) })
	f.Add(allRunning, last.Running.Sub(first.Called).Seconds())
	m.Follow(f)
	// The primary metric comes first.
	slices.SortStableFunc(m.Values, func(a, b result.Value) int { return rankOf(a, stage.CNIMemory) - rankOf(b, stage.CNIMemory) })
	m.Facts["pods"] = crowd.String()
	m.Facts["room"] = room.String()
	m.Facts["proof"] = fmt.Sprintf("each of %d pods answered %s", len(crowd.Members), stage.EndWords(pair.Client))
	return m
}

func rankOf(v result.Value, first result.Metric) int {
	if v.Name == first.Name {
		return 0
	}
	return 1
}

// figureOf returns a value of a measurement, or why it has none.
func figureOf(m stage.Measurement, metric result.Metric) (value float64, missing string) {
	for _, v := range m.Values {
		if v.Name == metric.Name {
			return v.Value, ""
		}
	}
	if why := m.Missing[metric.Name]; why != "" {
		return 0, why
	}
	return 0, "there is no " + metric.Name
}
