package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/stage"
)

// Parameters of pod-startup.
var (
	startupPods = parameter.Parameter{
		Name: "pods", Kind: parameter.Integer, Default: []string{"1", "10", "50"}, Min: "1", Max: "500",
		Help: "pods that are made on each of the nodes, in one round",
	}
	startupNodes = parameter.Parameter{
		Name: "nodes", Kind: parameter.Integer, Default: []string{"1", "2"}, Min: "1", Max: "100",
		Help: "nodes that they are made on: the server's, the client's, then others",
	}
	startupRounds = parameter.Parameter{
		Name: "rounds", Kind: parameter.Integer, Default: []string{"4"}, Min: "1", Max: "1000",
		Help: "times that all are made and removed; the figures are of all rounds together",
	}
	startupPace = parameter.Parameter{
		Name: "pace", Kind: parameter.Duration, Default: []string{"0s"}, Min: "0s", Max: "1m",
		Help: "from one API call for a pod to the next; 0s: as fast as the API takes them, 16 calls at a time",
	}
)

// startupGreeting is how exactly the first reply is known: a pod that is there
// answers the first connection.
var startupGreeting = probe.GreetSpec{Interval: 5 * time.Millisecond, Timeout: 300 * time.Millisecond, Limit: 30 * time.Second}

func init() {
	register(Scenario{
		Name:  "pod-startup",
		Title: "time from creating a pod until it answers, by stages",
		Description: "Makes light pods that echo TCP, on each of some nodes and all at once, and follows every one from the API call to the first reply that the client had from it. " +
			"By cnibench's own clock, when the API's events arrive: scheduling, from the call until the pod has a node, the only one that the scheduler may choose; " +
			"starting, from then until the API says that the pod runs and tells its address, which is how anybody learns of it; first-reply, from then until a connection of the client " +
			"was answered, tried every 5 ms. These follow each other and make the whole. " +
			"Within starting, by the clock of the pod's node and never added to the others: sandbox, from when the kubelet makes the pod's directory of logs, right before it asks the runtime, " +
			"until it makes the container's, when the sandbox is there; and within that cni-add, from when the runtime has made the network namespace until it has written down the plugin's result. " +
			"The API's own times are whole seconds and are not used. What of a node cannot be seen is missing with the reason; pods in the host's network have no ADD. " +
			"A pod that does not start or answer fails the trial.",
		Metrics:    startupMetrics(),
		Parameters: []parameter.Parameter{startupPods, startupNodes, startupRounds, startupPace},
		Expected:   expectedStartup,
		Beyond:     beyondStartup,
		Run:        measurePodStartup,
	})
}

func beyondStartup(v parameter.Values, at Setting) string {
	if count := v.Integer(startupNodes.Name); at.Nodes > 0 && count > at.Nodes {
		return fewNodes(count, at.Nodes)
	}
	return at.tooMany(v.Integer(startupPods.Name))
}

// fewNodes is why pods cannot be made on as many nodes as are asked for.
func fewNodes(count, load int) string {
	return fmt.Sprintf("%d nodes are needed, and load may run on %d", count, load)
}

func expectedStartup(v parameter.Values) time.Duration {
	const perPod, perRound = 400 * time.Millisecond, 4 * time.Second // to start, to be removed
	pods := v.Integer(startupPods.Name) * v.Integer(startupNodes.Name)
	each := max(perPod, v.Duration(startupPace.Name))
	return time.Duration(v.Integer(startupRounds.Name)) * (perRound + time.Duration(pods)*each)
}

// podStartup is a trial under way.
type podStartup struct {
	*stage.Bench
	cell     plan.Cell
	pair     stage.Pair
	nodes    []string
	greeting *stage.Greeting
}

func measurePodStartup(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
	p := &podStartup{Bench: b, cell: cell}
	if err := p.prepare(ctx); err != nil {
		return stage.Measurement{}, err
	}
	defer p.greeting.Close()
	births := b.WatchBirths(ctx, p.nodes)
	defer births.Cancel()
	sampling, err := b.StartSampling(ctx, expectedStartup(cell.Parameters), p.pair.Client, p.pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	sampling.Mark()
	window := sample.Window{Start: time.Now().UTC()}
	starts, err := p.rounds(ctx)
	window.End = time.Now().UTC()
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	born := births.Stop()
	if err := b.KeepJSON("starts.json", map[string]any{"starts": starts, "nodes": born}); err != nil {
		return stage.Measurement{}, err
	}
	m, _ := b.MeasureWindow("", window, series)
	m.Lead(startupFigures(starts, born, b.Entry.HostNetwork()))
	m.Facts["pods"] = fmt.Sprintf("%d rounds of %s on each of %s", cell.Parameters.Integer(startupRounds.Name), cell.Parameters.Text(startupPods.Name), strings.Join(p.nodes, ", "))
	m.Facts["client"] = stage.EndWords(p.pair.Client)
	m.Facts["clock"] = "stages in the API and the whole: cnibench's own; sandbox and cni-add: each node's own"
	return m, nil
}

// prepare finds the nodes, sees that they have room, and opens the client's
// program.
func (p *podStartup) prepare(ctx context.Context) (err error) {
	if p.pair, err = p.Stage.Pair(ctx, endsApart(p.Bench)); err != nil {
		return err
	}
	count := p.cell.Parameters.Integer(startupNodes.Name)
	if p.nodes, err = startupOn(p.Cluster.LoadNodes(), count); err != nil {
		return err
	}
	pods := p.cell.Parameters.Integer(startupPods.Name)
	for _, node := range p.nodes {
		if _, err := roomFor(ctx, p.Bench, node, pods); err != nil {
			return err
		}
	}
	if err := p.warmUp(ctx); err != nil {
		return err
	}
	p.greeting, err = stage.OpenGreeting(ctx, p.Cluster, p.pair.Client, startupGreeting)
	return err
}

// startupOn takes the server's node first, so that one node's pods are reached
// from another one.
func startupOn(load []string, count int) ([]string, error) {
	if count > len(load) {
		return nil, &stage.UnsupportedError{Reason: fewNodes(count, len(load)) + ": " + strings.Join(load, ", ")}
	}
	order := slices.Clone(load)
	if len(order) > 1 {
		order[0], order[1] = order[1], order[0]
	}
	return order[:count], nil
}

// warmUp makes a pod on each node that has no load pod yet: the first one there
// may have to wait for its image.
func (p *podStartup) warmUp(ctx context.Context) error {
	var cold []string
	for _, node := range p.nodes {
		if node != p.pair.Client.Node && node != p.pair.Server.Node {
			cold = append(cold, node)
		}
	}
	if len(cold) == 0 {
		return nil
	}
	crowd, err := p.Stage.Gather(ctx, stage.CrowdSpec{Nodes: cold})
	if err != nil {
		return fmt.Errorf("the first pod of a node: %w", err)
	}
	return crowd.Disperse(ctx)
}

// rounds makes all pods again and again.
func (p *podStartup) rounds(ctx context.Context) ([]podStart, error) {
	var all []podStart
	for i := range p.cell.Parameters.Integer(startupRounds.Name) {
		starts, err := p.round(ctx)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", i+1, err)
		}
		all = append(all, starts...)
	}
	return all, nil
}

// round makes the pods, waits for a reply from each, and removes them. The
// nodes take turns.
func (p *podStartup) round(ctx context.Context) (starts []podStart, err error) {
	var nodes []string
	for range p.cell.Parameters.Integer(startupPods.Name) {
		nodes = append(nodes, p.nodes...)
	}
	greeted := p.greetThem(len(nodes))
	crowd, err := p.Stage.Gather(ctx, stage.CrowdSpec{
		Nodes: nodes, Scheduled: true, Pace: p.cell.Parameters.Duration(startupPace.Name), Running: greeted.running,
	})
	if err != nil {
		p.greeting.Close() // ends the reading of replies, none of which is of use
		<-greeted.done
		return nil, err
	}
	defer func() { err = errors.Join(err, crowd.Disperse(ctx)) }()
	<-greeted.done
	if greeted.err != nil {
		return nil, greeted.err
	}
	for _, m := range crowd.Members {
		starts = append(starts, newPodStart(m, greeted.replies[m.Name]))
	}
	return starts, nil
}

// greetings are the replies of a round, which come while pods still start.
type greetings struct {
	running func(stage.CrowdPod)
	done    chan struct{} // closed when what follows is complete
	replies map[string]stage.Reply
	err     error
}

// greetThem greets each pod that runs, and reads as many replies.
func (p *podStartup) greetThem(count int) *greetings {
	targets := make(chan probe.GreetTarget, count) // whoever tells of a pod must not wait
	g := &greetings{done: make(chan struct{}), running: func(m stage.CrowdPod) {
		targets <- probe.GreetTarget{Name: m.Name, Address: m.EchoAddress()}
	}}
	go func() {
		for {
			select {
			case target := <-targets:
				if p.greeting.Greet(target) != nil {
					return // the reading says why
				}
			case <-g.done:
				return
			}
		}
	}()
	go func() {
		defer close(g.done)
		g.replies, g.err = allReplies(p.greeting, count)
	}()
	return g
}
