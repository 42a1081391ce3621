package scenario

import (
	"context"
	"errors"
	"time"

	networkingv1 "k8s.io/api/networking/v1"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

// Values of policy-enforcement's parameters.
const (
	allowEffect = "allow"
	denyEffect  = "deny"
	podFirst    = "pod-first"
	policyFirst = "policy-first"
)

var (
	policyEffect = parameter.Parameter{
		Name: "effect", Kind: parameter.Choice, Default: []string{denyEffect, allowEffect}, Choices: []string{allowEffect, denyEffect},
		Help: "what the policy changes; an allow is beside a policy that denies all",
	}
	policyOrder = parameter.Parameter{
		Name: "order", Kind: parameter.Choice, Default: []string{podFirst}, Choices: []string{podFirst, policyFirst},
		Help: "what is there first: the pods, or the policy and then a new client",
	}
	policyRule = parameter.Parameter{
		Name: "rule", Kind: parameter.Choice, Default: []string{policy.PodSelector}, Choices: policy.Rules,
		Help: "the shape of the policy's rule",
	}
	policySide = parameter.Parameter{
		Name: "side", Kind: parameter.Choice, Default: []string{policy.Ingress}, Choices: []string{policy.Ingress, policy.Egress},
		Help: "ingress: the policy selects the server; egress: the client",
	}
	policyRepeats = parameter.Parameter{
		Name: "repeats", Kind: parameter.Integer, Default: []string{"5"}, Min: "1", Max: "100",
		Help: "times that the policy, or the client, is made anew",
	}
	policyLimit = parameter.Parameter{
		Name: "limit", Kind: parameter.Duration, Default: []string{"10s"}, Min: "1s", Max: "5m",
		Help: "from when on a repeat has timed out",
	}
)

func init() {
	register(Scenario{
		Name:  "policy-enforcement",
		Title: "time from a NetworkPolicy's API call until it acts",
		Description: "A watcher in the client's pod connects to the server every 5 ms, whether or not earlier attempts have an answer, and stamps each: " +
			"so the moment of an effect is known to one interval, and a connection that hangs delays nothing. An attempt without an answer for 0.3 s counts as denied. " +
			"With pod-first the time is from the beginning of the API call that creates the policy. With policy-first the policy acts already, a new client tries from its program's first moment, and the time is from then: " +
			"0 where its first attempt shows the effect. Connections that get through meanwhile are leaks. " +
			"The effect is the last change: one that came and went counts from when it stayed. Repeats in which it does not come within the limit are counted. " +
			"Where the pod's clock is not cnibench's own, it is compared before, and the bound of the error is among the facts.",
		Metrics:    []result.Metric{enforcementP50, enforcementMean, enforcementMax, timedOut, leaks, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: []parameter.Parameter{policyEffect, policyOrder, policyRule, policySide, policyRepeats, policyLimit, stage.Placement},
		Requires:   Requires{Policy: true},
		Expected:   expectedEnforcement,
		Run:        measurePolicyEnforcement,
	})
}

// policyEnforcement is a trial under way.
type policyEnforcement struct {
	*policyBench
	cell    plan.Cell
	allow   bool
	watcher *watcher
}

func measurePolicyEnforcement(ctx context.Context, b *stage.Bench, cell plan.Cell) (m stage.Measurement, err error) {
	p, err := newPolicyBench(ctx, b, stage.EndsOf(cell.Parameters))
	if err != nil {
		return stage.Measurement{}, err
	}
	e := &policyEnforcement{policyBench: p, cell: cell, allow: cell.Parameters.Text(policyEffect.Name) == allowEffect}
	if e.watcher, err = startWatcher(ctx, b, p.pair.Client, e.spec()); err != nil {
		return stage.Measurement{}, err
	}
	defer e.watcher.Close()
	defer func() { err = e.clearAfter(ctx, err, e.watcher, allowProbe) }()
	if _, err := e.watcher.mustSettle("before there is any policy", awaitAll(true, allowProbe)); err != nil {
		return stage.Measurement{}, err
	}
	sampling, err := b.StartSampling(ctx, expectedEnforcement(cell.Parameters), p.pair.Client, p.pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	sampling.Mark()
	window := sample.Window{Start: time.Now().UTC()}
	repeats, err := e.run(ctx)
	window.End = time.Now().UTC()
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, unenforced(b, err)
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	return e.evaluate(repeats, window, series)
}

// spec is what a client tries, the resident one and new ones alike.
func (e *policyEnforcement) spec() probe.WatchSpec {
	return probe.WatchSpec{Interval: watchInterval, Timeout: watchTimeout, Targets: []probe.WatchTarget{
		tcpTarget(allowProbe, e.pair.Server.IP, stage.EchoPort),
	}}
}

func (e *policyEnforcement) run(ctx context.Context) ([]policyRepeat, error) {
	order := e.podFirst
	if e.cell.Parameters.Text(policyOrder.Name) == policyFirst {
		order = e.policyFirst
	}
	if e.allow {
		isolate := e.subject.Isolate("isolate", e.cell.Parameters.Text(policySide.Name), e.clients()...)
		if _, err := e.apply(ctx, isolate); err != nil {
			return nil, err
		}
		if _, err := e.watcher.mustSettle("with a policy that denies all", awaitAll(false, allowProbe)); err != nil {
			return nil, err
		}
	}
	repeats, err := order(ctx)
	return repeats, errors.Join(err, e.KeepJSON("repeats.json", repeats))
}

// clients are the pods that the policy is about: with policy-first the
// resident client shows that it acts before a new one comes.
func (e *policyEnforcement) clients() []string {
	if e.cell.Parameters.Text(policyOrder.Name) == policyFirst {
		return []string{e.pair.Client.Name, newcomer}
	}
	return []string{e.pair.Client.Name}
}

func (e *policyEnforcement) policy() (*networkingv1.NetworkPolicy, error) {
	v := e.cell.Parameters
	rule := policy.Rule{Shape: v.Text(policyRule.Name), Side: v.Text(policySide.Name), Allow: e.allow, Port: stage.EchoPort, Clients: e.clients()}
	if rule.PeerIP = e.pair.Server.IP; rule.Side == policy.Ingress {
		rule.PeerIP = e.pair.Client.IP
	}
	return e.subject.Policy("enforced", rule)
}

// await is the state that the policy brings, within the limit.
func (e *policyEnforcement) await() probe.WatchAwait {
	a := awaitAll(e.allow, allowProbe)
	a.Limit = e.cell.Parameters.Duration(policyLimit.Name)
	return a
}

// podFirst creates the policy again and again.
func (e *policyEnforcement) podFirst(ctx context.Context) ([]policyRepeat, error) {
	made, err := e.policy()
	if err != nil {
		return nil, err
	}
	var repeats []policyRepeat
	for range e.cell.Parameters.Integer(policyRepeats.Name) {
		if _, err := e.watcher.mustSettle("without the policy", awaitAll(!e.allow, allowProbe)); err != nil {
			return repeats, err
		}
		called, err := e.apply(ctx, made)
		if err != nil {
			return repeats, err
		}
		watched, err := e.watcher.await(e.await())
		if err != nil {
			return repeats, err
		}
		begun := called.Begun.Sub(e.watcher.clock.here(watched.Start)).Seconds()
		repeats = append(repeats, newPolicyRepeat(watched.Attempts[allowProbe], begun, called, e.allow, false))
		if err := e.Cluster.RemovePolicy(ctx, made.Name); err != nil {
			return repeats, err
		}
	}
	return repeats, nil
}
