package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// appliedPolicies is what applying policies took.
type appliedPolicies struct {
	stage.Figures
	facts map[string]string
}

// applyTimes are the moments of it, by our clock.
type applyTimes struct {
	Policies apiCall   `json:"policies"` // the many
	Allow    apiCall   `json:"allow"`    // the one after them
	Probes   time.Time `json:"probes"`   // from when on the probes show it
	Ports    time.Time `json:"ports"`    // when the last port was reached; zero without any
	Clock    clock     `json:"clock"`
}

// confirmed is when the API had said so and everything that can be shown was:
// policies may act before the API's answer arrives.
func (t applyTimes) confirmed() time.Time {
	return slices.MaxFunc([]time.Time{t.Allow.Done, t.Probes, t.Ports}, time.Time.Compare)
}

// applyAll applies the policies and the one that lets the client in, and waits
// until they are seen to act.
func (s *policyScaling) applyAll(ctx context.Context) (appliedPolicies, error) {
	if _, err := s.client.mustSettle("before there is any policy", awaitAll(true, allowProbe, denyProbe)); err != nil {
		return appliedPolicies{}, err
	}
	evidence := s.EvidenceIn("policies")
	sampling, err := evidence.StartSampling(ctx, 0, s.pair.Client, s.pair.Server)
	if err != nil {
		return appliedPolicies{}, err
	}
	times, err := s.applyAndConfirm(ctx, evidence)
	if err != nil {
		sampling.Cancel()
		return appliedPolicies{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return appliedPolicies{}, err
	}
	_, ms := evidence.MeasureWindow("", sample.Window{Start: times.Policies.Begun, End: times.confirmed()}, series)
	return s.evaluateApply(ctx, times, ms)
}

// applyAndConfirm measures the times. The client's watcher tries from before
// the first call on.
func (s *policyScaling) applyAndConfirm(ctx context.Context, evidence *stage.Bench) (applyTimes, error) {
	times := applyTimes{Clock: s.client.clock}
	policies, err := s.subject.Scaling(s.shape, s.count)
	if err != nil {
		return times, err
	}
	awaited := s.enforced()
	if err := s.client.ask(awaited); err != nil {
		return times, err
	}
	if times.Policies, err = s.apply(ctx, policies...); err != nil {
		return times, err
	}
	if times.Allow, err = s.apply(ctx, s.subject.AllowClient(s.allowedPorts()...)); err != nil {
		return times, err
	}
	watched, err := s.client.answer()
	if err != nil {
		return times, err
	}
	if err := evidence.KeepJSON("probes.json", watched); err != nil {
		return times, err
	}
	if !watched.Settled {
		return times, &unsettledError{"after the policies were applied", s.client.Where, awaited, watched}
	}
	times.Probes = s.client.shown(watched, awaited.Want)
	if s.witness == nil {
		return times, evidence.KeepJSON("times.json", times)
	}
	// Only now does a port that is reached show its policy: without the
	// server being isolated all ports are.
	if watched, err = s.witness.mustSettle("after the policies were applied", s.everyPort()); err != nil {
		return times, err
	}
	times.Ports = s.witness.shown(watched, s.everyPort().Want)
	if err := evidence.KeepJSON("ports.json", watched); err != nil {
		return times, err
	}
	return times, evidence.KeepJSON("times.json", times)
}

// shown is when the last of the wanted states began, by our clock.
func (w *watcher) shown(watched probe.Watched, want map[string]bool) time.Time {
	last := 0.0
	for name, reached := range want {
		if e, found := probe.FindEffect(watched.Attempts[name], reached); found {
			last = max(last, e.At)
		}
	}
	return w.clock.here(watched.Start.Add(time.Duration(last * float64(time.Second))))
}

func (s *policyScaling) evaluateApply(ctx context.Context, times applyTimes, ms stage.Machines) (appliedPolicies, error) {
	count, err := s.Cluster.CountPolicies(ctx)
	if err != nil {
		return appliedPolicies{}, err
	}
	if count != s.count+1 {
		return appliedPolicies{}, &stage.InvalidError{Reason: fmt.Sprintf("the API has %d policies, %d were created", count, s.count+1)}
	}
	begun := times.Policies.Begun
	a := appliedPolicies{Figures: stage.Figures{Values: []result.Value{
		{Metric: policyConfirmed, Value: times.confirmed().Sub(begun).Seconds()},
		{Metric: policyApplied, Value: times.Allow.Done.Sub(begun).Seconds()},
	}}, facts: map[string]string{
		"policies in the API": fmt.Sprintf("%d of shape %s and 1 that lets the client in", s.count, s.shape),
		"policies in effect":  "the last, by deny and allow probe",
		"clock":               times.Clock.String(),
	}}
	if len(s.ports) > 0 {
		a.facts["policies in effect"] = fmt.Sprintf("%d of %d by their ports, and the last by deny and allow probe", len(s.ports), s.count)
	}
	a.Merge(s.policyCost(ms, times.confirmed().Sub(begun)))
	return a, nil
}

// policyCost is what the plugin's own pods used. Without pods of its own there
// is nothing to report.
func (s *policyScaling) policyCost(ms stage.Machines, took time.Duration) stage.Figures {
	var f stage.Figures
	if len(s.Entry.Agents) == 0 {
		return f
	}
	plugin, err := stage.GroupTotal(ms.Summaries, stage.GroupCNI)
	switch unattributed := s.Unattributed(); {
	case ms.Unknown != "":
		f.Lack(ms.Unknown, policyCPU, policyMemory)
	case unattributed != "":
		f.Lack(unattributed, policyCPU, policyMemory)
	case err != nil:
		f.Lack(err.Error(), policyCPU, policyMemory)
	default:
		f.Add(policyCPU, plugin.Cores*took.Seconds())
		f.Add(policyMemory, plugin.WorkingSet.Max)
	}
	return f
}
