package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

func init() {
	register(Scenario{
		Name:  "policy-matrix",
		Title: "which features of NetworkPolicies are enforced",
		Description: "For each feature a policy is applied, and what it is to deny must be denied and what it is to allow must be reached, both by attempts in a row: " +
			"deny and allow, ingress and egress, by pods, namespaces, ports, ranges and names of ports, protocols, CIDRs with exceptions. " +
			"Before each, the same must be reached without a policy. The facts of a trial say for each feature that it is enforced, what happened instead, or why it could not be tried. " +
			"Policies on HTTP requests are tried where the plugin has Cilium's API and the program that enforces them. " +
			"CIDRs are tried with pods' addresses, which the API lets plugins ignore, and with the API server's, where pods reach it.",
		Metrics:    []result.Metric{featuresEnforced, stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory},
		Parameters: []parameter.Parameter{policyLimit.With("5s"), stage.Placement},
		Requires:   Requires{Policy: true},
		Expected:   func(parameter.Values) time.Duration { return expectedMatrix },
		Run:        measurePolicyMatrix,
	})
}

// matrixInterval leaves room for the targets of a feature; a state shows after
// settledMatrix attempts in a row.
const (
	matrixInterval = 20 * time.Millisecond
	settledMatrix  = 8
	expectedMatrix = 25 * time.Second
)

// policyMatrix is a trial under way.
type policyMatrix struct {
	*policyBench
	limit    time.Duration
	outside  string // address of the API server; empty: not reached
	lacks    map[policy.Need]string
	watchers map[string]*watcher // in the client and in the witness
}

func measurePolicyMatrix(ctx context.Context, b *stage.Bench, cell plan.Cell) (m stage.Measurement, err error) {
	p, err := newPolicyBench(ctx, b, stage.EndsOf(cell.Parameters))
	if err != nil {
		return stage.Measurement{}, err
	}
	x := &policyMatrix{policyBench: p, limit: cell.Parameters.Duration(policyLimit.Name), lacks: map[policy.Need]string{}, watchers: map[string]*watcher{}}
	end, err := x.openProbes(ctx)
	defer end()
	if err != nil {
		return stage.Measurement{}, err
	}
	defer func() { err = x.clearAfter(ctx, err, x.watchers[policy.FromClient], policy.ServerFirst) }()
	sampling, err := b.StartSampling(ctx, expectedMatrix, p.pair.Client, p.pair.Server)
	if err != nil {
		return stage.Measurement{}, err
	}
	sampling.Mark()
	window := sample.Window{Start: time.Now().UTC()}
	verdicts, err := x.tryAll(ctx)
	window.End = time.Now().UTC()
	if err != nil {
		sampling.Cancel()
		return stage.Measurement{}, err
	}
	series, err := sampling.Stop(ctx)
	if err != nil {
		return stage.Measurement{}, err
	}
	m, _ = b.MeasureWindow("", window, series)
	enforced, tried := countVerdicts(verdicts)
	if enforced == 0 && b.Entry.Variant.Present {
		return stage.Measurement{}, &stage.UnsupportedError{Reason: fmt.Sprintf("the cluster's plugin enforces no NetworkPolicy: none of %d features", tried)}
	}
	m.Values = append([]result.Value{{Metric: featuresEnforced, Value: float64(enforced)}}, m.Values...)
	m.Facts["features tried"] = fmt.Sprintf("%d of %d", tried, len(verdicts))
	maps.Copy(m.Facts, verdicts)
	return m, nil
}

// Verdicts on a feature begin with one of these.
const (
	isEnforced   = "enforced"
	notEnforced  = "not enforced: "
	notSupported = "not supported: "
)

// countVerdicts returns how many features are enforced, of how many that were
// tried.
func countVerdicts(verdicts map[string]string) (enforced, tried int) {
	for _, v := range verdicts {
		if !strings.HasPrefix(v, notSupported) {
			tried++
		}
		if v == isEnforced {
			enforced++
		}
	}
	return enforced, tried
}

// tryAll returns a verdict on every feature, by its name.
func (x *policyMatrix) tryAll(ctx context.Context) (map[string]string, error) {
	features, err := x.subject.Features(policy.Addresses{Client: x.pair.Client.IP, Outside: x.outside})
	if err != nil {
		return nil, err
	}
	verdicts := map[string]string{}
	for _, f := range features {
		if why := x.lacks[f.Needs]; why != "" {
			verdicts[f.Name] = notSupported + why
			continue
		}
		verdict := isEnforced
		for i, s := range f.Steps {
			wrong, err := x.try(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("feature %s: %w", f.Name, err)
			}
			if wrong != "" {
				verdict = notEnforced + wrong
				if len(f.Steps) > 1 {
					verdict = fmt.Sprintf("%sstep %d: %s", notEnforced, i+1, wrong)
				}
				break
			}
		}
		verdicts[f.Name] = verdict
	}
	return verdicts, x.KeepJSON("features.json", map[string]any{"features": features, "verdicts": verdicts})
}

// try applies a step's policies and says what is not as it should be; empty if
// all is. First must show what is denied: until a policy acts, all is reached,
// and what is allowed would show nothing.
func (x *policyMatrix) try(ctx context.Context, s policy.Step) (wrong string, err error) {
	if wrong, err := x.holds(s.Want, func(policy.Expectation) bool { return true }, true, policyPatience); err != nil || wrong != "" {
		if err == nil {
			err = fmt.Errorf("without a policy, %s", wrong)
		}
		return "", err
	}
	if err := x.applyStep(ctx, s); err != nil {
		return "", err
	}
	denied := func(w policy.Expectation) bool { return !w.Reached }
	wrong, err = x.holds(s.Want, denied, false, x.limit)
	if err == nil && wrong == "" {
		wrong, err = x.holds(s.Want, func(policy.Expectation) bool { return true }, false, x.limit)
	}
	if err != nil {
		return "", errors.Join(err, x.removeStep(context.WithoutCancel(ctx), s))
	}
	return wrong, x.removeStep(ctx, s)
}

func (x *policyMatrix) applyStep(ctx context.Context, s policy.Step) error {
	if len(s.HTTP) > 0 {
		return x.Cluster.Apply(ctx, s.HTTP)
	}
	_, err := x.apply(ctx, s.Policies...)
	return err
}

func (x *policyMatrix) removeStep(ctx context.Context, s policy.Step) error {
	for _, p := range s.HTTP {
		if err := x.Cluster.Delete(ctx, cluster.ObjectOf(p)); err != nil {
			return err
		}
	}
	for _, p := range s.Policies {
		if err := x.Cluster.RemovePolicy(ctx, p.Name); err != nil {
			return err
		}
	}
	return nil
}

// holds waits until those expectations hold that are chosen; free means that
// everything is to be reached. It says what does not hold.
func (x *policyMatrix) holds(all []policy.Expectation, chosen func(policy.Expectation) bool, free bool, limit time.Duration) (string, error) {
	awaits := map[string]probe.WatchAwait{}
	for _, w := range all {
		if !chosen(w) {
			continue
		}
		if _, there := awaits[w.From]; !there {
			awaits[w.From] = probe.WatchAwait{Want: map[string]bool{}, Settle: settledMatrix, Limit: limit}
		}
		awaits[w.From].Want[w.Target] = w.Reached || free
	}
	for from, a := range awaits {
		if err := x.watchers[from].ask(a); err != nil {
			return "", err
		}
	}
	var wrong []string
	for _, from := range []string{policy.FromClient, policy.FromWitness} {
		a, asked := awaits[from]
		if !asked {
			continue
		}
		watched, err := x.watchers[from].answer()
		if err != nil {
			return "", err
		}
		if !watched.Settled {
			wrong = append(wrong, fmt.Sprintf("from the %s within %s, %s", from, limit, unmet(a, watched)))
		}
	}
	return strings.Join(wrong, "; "), nil
}
