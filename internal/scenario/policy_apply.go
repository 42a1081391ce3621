package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// appliedPolicies is what applying policies took.
type appliedPolicies struct {
	values []result.Value
	facts  map[string]string
}

// applyTimes are the moments of it, by our clock.
type applyTimes struct {
	Policies call      `json:"policies"` // the many
	Allow    call      `json:"allow"`    // the one after them
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
	evidence, err := s.evidenceIn("policies")
	if err != nil {
		return appliedPolicies{}, err
	}
	sampling, err := evidence.startSampling(ctx, 0, s.pair.Client, s.pair.Server)
	if err != nil {
		return appliedPolicies{}, err
	}
	times, err := s.applyAndConfirm(ctx, evidence)
	if err != nil {
		sampling.cancel()
		return appliedPolicies{}, err
	}
	series, err := sampling.stop()
	if err != nil {
		return appliedPolicies{}, err
	}
	summaries, err := summarize(series, sample.Window{Start: times.Policies.Begun, End: times.confirmed()})
	if err != nil {
		return appliedPolicies{}, err
	}
	summaries = s.perKernel(summaries)
	if err := evidence.keepJSON("summary.json", summaries); err != nil {
		return appliedPolicies{}, err
	}
	return s.evaluateApply(ctx, times, summaries)
}

// applyAndConfirm measures the times. The client's watcher tries from before
// the first call on.
func (s *policyScaling) applyAndConfirm(ctx context.Context, evidence *Bench) (applyTimes, error) {
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
	if err := evidence.keepJSON("probes.json", watched); err != nil {
		return times, err
	}
	if !watched.Settled {
		return times, &unsettledError{"after the policies were applied", s.client.where, awaited, watched}
	}
	times.Probes = s.client.shown(watched, awaited.Want)
	if s.witness == nil {
		return times, evidence.keepJSON("times.json", times)
	}
	// Only now does a port that is reached show its policy: without the
	// server being isolated all ports are.
	if watched, err = s.witness.mustSettle("after the policies were applied", s.everyPort()); err != nil {
		return times, err
	}
	times.Ports = s.witness.shown(watched, s.everyPort().Want)
	if err := evidence.keepJSON("ports.json", watched); err != nil {
		return times, err
	}
	return times, evidence.keepJSON("times.json", times)
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

func (s *policyScaling) evaluateApply(ctx context.Context, times applyTimes, summaries map[string]sample.Summary) (appliedPolicies, error) {
	count, err := s.Cluster.CountPolicies(ctx)
	if err != nil {
		return appliedPolicies{}, err
	}
	if count != s.count+1 {
		return appliedPolicies{}, &InvalidError{fmt.Sprintf("the API has %d policies, %d were created", count, s.count+1)}
	}
	begun := times.Policies.Begun
	a := appliedPolicies{values: []result.Value{
		{Metric: policyConfirmed, Value: times.confirmed().Sub(begun).Seconds()},
		{Metric: policyApplied, Value: times.Allow.Done.Sub(begun).Seconds()},
	}, facts: map[string]string{
		"policies in the API": fmt.Sprintf("%d of shape %s and 1 that lets the client in", s.count, s.shape),
		"policies in effect":  "the last, by deny and allow probe",
		"clock":               times.Clock.String(),
	}}
	if len(s.ports) > 0 {
		a.facts["policies in effect"] = fmt.Sprintf("%d of %d by their ports, and the last by deny and allow probe", len(s.ports), s.count)
	}
	if s.unattributed() != "" || len(s.Entry.Agents) == 0 {
		return a, nil
	}
	var seconds, peak float64
	for node, summary := range summaries {
		plugin, err := group(summary, node, groupCNI)
		if err != nil {
			return appliedPolicies{}, err
		}
		seconds += plugin.Cores * times.confirmed().Sub(begun).Seconds()
		peak += plugin.WorkingSet.Max
	}
	a.values = append(a.values, result.Value{Metric: policyCPU, Value: seconds}, result.Value{Metric: policyMemory, Value: peak})
	return a, nil
}
