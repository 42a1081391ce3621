package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

var (
	policyCount = parameter.Parameter{
		Name: "policies", Kind: parameter.Integer, Default: []string{"0", "10", "50", "100", "200"}, Max: "10000",
		Help: "beside the one that lets the client in",
	}
	policyShape = parameter.Parameter{
		Name: "shape", Kind: parameter.Choice, Default: []string{policy.Matching}, Choices: []string{policy.Matching, policy.Idle, policy.Seed001},
		Help: "matching: they select the server and let another pod in; idle: they select other pods; seed-001: as that guide has them",
	}
)

func init() {
	register(policyScalingScenario("policy-scaling", "TCP throughput beside many NetworkPolicies, and how long they take to act",
		"that of tcp-pod-multi. Many plugins look up policies only when a connection is made, so that throughput may not depend on them: see policy-connect. ",
		tcpMetrics, []parameter.Parameter{streams, direction}, false))
	register(policyScalingScenario("policy-connect", "rate of new TCP connections beside many NetworkPolicies, and how long they take to act",
		"that of tcp-crr in a closed loop: connections with one request each, as many at once as there are streams. Each is looked up in the policies. ",
		slices.Concat([]result.Metric{connectRate, connectP50, connectP99}, rrMetrics), []parameter.Parameter{streams}, true))
}

// policyScalingScenario describes a load beside policies.
func policyScalingScenario(name, title, load string, metrics []result.Metric, more []parameter.Parameter, connect bool) Scenario {
	return Scenario{
		Name:  name,
		Title: title,
		Description: "Applies a number of policies and, last of all, one that lets the client in; waits until they act; then runs the load: " + load +
			"An allow probe must be reached and a deny probe must not be, before the load and after it, at every count: at 0 the policy that lets the client in is there too. " +
			"Matching policies each open one port to a pod that is not the client, and that pod reaches every one of them: this shows each single policy. " +
			"Idle ones and those of seed-001 let nobody through; that they act is concluded from the policy that was created after them, which does. " +
			"The times are exact to 5 ms, less where many ports are looked at (0.1 s).",
		Metrics:    policyScalingMetrics(metrics),
		Parameters: append([]parameter.Parameter{policyCount, policyShape, duration, omit, stage.Placement}, more...),
		Requires:   Requires{Policy: true},
		Expected: func(v parameter.Values) time.Duration {
			perPolicy := 20 * time.Millisecond // to apply, to act, to be removed
			return v.Duration(duration.Name) + v.Duration(omit.Name) + 2*time.Second + time.Duration(v.Integer(policyCount.Name))*perPolicy
		},
		Run: func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error) {
			return measurePolicyScaling(ctx, b, cell, connect)
		},
	}
}

const (
	// deniedPort is served, and no policy lets anybody reach it.
	deniedPort = 7010
	// sweepInterval is how often every port of the matching policies is tried.
	sweepInterval = 100 * time.Millisecond
)

// policyScaling is a trial under way.
type policyScaling struct {
	*policyBench
	cell    plan.Cell
	connect bool // the load is new connections, not bulk
	shape   string
	count   int // of policies, without the one that lets the client in
	client  *watcher
	// witness tries the ports of matching policies; nil for other shapes.
	witness *watcher
	ports   []string // targets of the witness
}

func measurePolicyScaling(ctx context.Context, b *stage.Bench, cell plan.Cell, connect bool) (m stage.Measurement, err error) {
	p, err := newPolicyBench(ctx, b, stage.EndsOf(cell.Parameters))
	if err != nil {
		return stage.Measurement{}, err
	}
	s := &policyScaling{
		policyBench: p, cell: cell, connect: connect,
		shape: cell.Parameters.Text(policyShape.Name), count: cell.Parameters.Integer(policyCount.Name),
	}
	end, err := s.openProbes(ctx)
	defer end()
	if err != nil {
		return stage.Measurement{}, err
	}
	defer func() { err = s.clearAfter(ctx, err, s.client, allowProbe, denyProbe) }()
	applied, err := s.applyAll(ctx)
	if err != nil {
		return stage.Measurement{}, unenforced(b, err)
	}
	if m, err = s.measureLoad(ctx); err != nil {
		return stage.Measurement{}, err
	}
	shown, err := s.confirmAgain()
	if err != nil {
		return stage.Measurement{}, err
	}
	m.Follow(applied.Figures)
	applied.facts["policies in effect after the load"] = shown
	maps.Copy(m.Facts, applied.facts)
	return m, nil
}

// openProbes serves the ports that are tried, and starts the watchers. The
// function that it returns ends them all.
func (s *policyScaling) openProbes(ctx context.Context) (end func(), err error) {
	var sessions []*stage.Session
	end = func() {
		for _, one := range sessions {
			one.Close()
		}
	}
	count := 0
	if s.shape == policy.Matching {
		count = s.count
	}
	served, sweep := []int{deniedPort}, probe.WatchSpec{Interval: sweepInterval, Timeout: watchTimeout, OnDemand: true}
	for i := range count {
		port := policy.FirstMatchingPort + i
		served = append(served, port)
		target := tcpTarget(fmt.Sprintf("policy %d", i+1), s.pair.Server.IP, port)
		sweep.Targets, s.ports = append(sweep.Targets, target), append(s.ports, target.Name)
	}
	listener, _, err := listen(ctx, s.Bench, s.pair.Server, probe.ListenSpec{TCP: served})
	if err != nil {
		return end, err
	}
	sessions = append(sessions, listener)
	if s.client, err = startWatcher(ctx, s.Bench, s.pair.Client, probe.WatchSpec{Interval: watchInterval, Timeout: watchTimeout, OnDemand: true, Targets: []probe.WatchTarget{
		tcpTarget(allowProbe, s.pair.Server.IP, stage.EchoPort), tcpTarget(denyProbe, s.pair.Server.IP, deniedPort),
	}}); err != nil {
		return end, err
	}
	sessions = append(sessions, s.client.Session)
	if count == 0 {
		return end, nil
	}
	if s.witness, err = startWatcher(ctx, s.Bench, s.policyBench.witness, sweep); err != nil {
		return end, err
	}
	sessions = append(sessions, s.witness.Session)
	return end, nil
}

// Without policies everything is reached; with them, the deny probe is not.
func (s *policyScaling) enforced() probe.WatchAwait {
	return probe.WatchAwait{Want: map[string]bool{allowProbe: true, denyProbe: false}, Settle: settled, Limit: patienceFor(s.count)}
}

// everyPort waits until the witness has reached each port once.
func (s *policyScaling) everyPort() probe.WatchAwait {
	a := awaitAll(true, s.ports...)
	a.Settle, a.Retire, a.Limit = 1, true, patienceFor(s.count)
	return a
}

// confirmAgain shows that policies still act after the load.
func (s *policyScaling) confirmAgain() (string, error) {
	if _, err := s.client.mustSettle("after the load", s.enforced()); err != nil {
		return "", err
	}
	if s.witness == nil {
		return "deny and allow probe", nil
	}
	_, err := s.witness.mustSettle("after the load", s.everyPort())
	return fmt.Sprintf("deny and allow probe; %d of %[1]d by their port", len(s.ports)), err
}
