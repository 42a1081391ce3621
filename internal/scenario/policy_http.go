package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

// loadPath is what the load asks for.
const loadPath = "/"

var httpPolicyCount = parameter.Parameter{
	Name: "policies", Kind: parameter.Integer, Default: []string{"0", "1", "10"}, Max: "1000",
	Help: "policies on HTTP requests; the last lets the client get the load's path, each other one a path that nobody asks for",
}

func init() {
	register(Scenario{
		Name:  "policy-http",
		Title: "latency of HTTP requests beside policies on HTTP requests",
		Description: "The load of http at the server's pod, beside policies that look into requests. Such policies lead them through a proxy, which is what this shows: " +
			"compare with 0 policies, where it is the load alone. A request for the load's path must be answered and one for another path must not be, before the load and after it. " +
			"Policies are objects of Cilium's API; a plugin without it, and one whose proxy is not there, is unsupported.",
		Metrics:    httpMetrics,
		Parameters: append([]parameter.Parameter{httpPolicyCount}, httpLoadParameters...),
		Requires:   Requires{HTTPLoad: true},
		Run:        measurePolicyHTTP,
	})
}

// policyHTTP is a trial under way.
type policyHTTP struct {
	*policyBench
	count  int
	client *watcher
}

func measurePolicyHTTP(ctx context.Context, b *stage.Bench, cell plan.Cell) (_ stage.Measurement, err error) {
	v := cell.Parameters
	p, err := newPolicyBench(ctx, b, stage.EndsOf(v))
	if err != nil {
		return stage.Measurement{}, err
	}
	s := &policyHTTP{policyBench: p, count: v.Integer(httpPolicyCount.Name)}
	if err := s.supported(ctx); err != nil {
		return stage.Measurement{}, err
	}
	server, err := openWeb(ctx, s.Bench, s.pair, v)
	if err != nil {
		return stage.Measurement{}, err
	}
	defer server.Close()
	address := hostPort(s.pair.Server.IP, webPort)
	if s.client, err = startWatcher(ctx, s.Bench, s.pair.Client, probe.WatchSpec{Interval: watchInterval, Timeout: watchTimeout, OnDemand: true, Targets: []probe.WatchTarget{
		httpTarget(allowProbe, address, loadPath), httpTarget(denyProbe, address, policy.DeniedPath),
	}}); err != nil {
		return stage.Measurement{}, err
	}
	defer s.client.Close()
	remove, err := s.applyAll(ctx)
	defer func() { err = errors.Join(err, remove()) }()
	if err != nil {
		return stage.Measurement{}, err
	}
	ran, series, err := runHTTP(ctx, s.Bench, s.pair, toHosts(address), v)
	if err != nil {
		return stage.Measurement{}, err
	}
	if err := s.enforced("after the load"); err != nil {
		return stage.Measurement{}, err
	}
	if err := endWeb(s.Bench, server, &ran); err != nil {
		return stage.Measurement{}, err
	}
	return evaluateHTTP(s.Bench, ran, series, v)
}

// supported refuses policies on HTTP requests where nothing enforces them.
func (s *policyHTTP) supported(ctx context.Context) error {
	if s.count == 0 {
		return nil
	}
	lacks, err := s.lacksHTTP(ctx)
	if err == nil && lacks != "" {
		return &stage.UnsupportedError{Reason: lacks}
	}
	return err
}

// lacksHTTP says why policies on HTTP requests cannot be tried.
func (p *policyBench) lacksHTTP(ctx context.Context) (string, error) {
	lacks, err := cni.LacksL7(ctx, p.Cluster, p.Entry)
	if err != nil || lacks != "" {
		return lacks, err
	}
	if !slices.Contains(p.Entry.Enforces.Own, policy.HTTPKind) {
		return fmt.Sprintf("policies on HTTP requests are tried as objects of the kind %s, which %s does not have", policy.HTTPKind, p.Entry.Name), nil
	}
	return "", nil
}

// applyAll applies the policies and waits until the last one acts. remove
// takes them back.
func (s *policyHTTP) applyAll(ctx context.Context) (remove func() error, err error) {
	policies := s.policies()
	remove = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), policyPatience)
		defer cancel()
		var errs []error
		for _, p := range policies {
			errs = append(errs, s.Cluster.Delete(ctx, cluster.ObjectOf(p)))
		}
		return errors.Join(errs...)
	}
	if _, err := s.client.mustSettle("before there is any policy", awaitAll(true, allowProbe, denyProbe)); err != nil {
		return remove, err
	}
	if err := s.Cluster.Apply(ctx, policies); err != nil {
		return remove, err
	}
	return remove, s.enforced("after the policies were applied")
}

// enforced waits until the client gets what the policies let it.
func (s *policyHTTP) enforced(when string) error {
	_, err := s.client.mustSettle(when, probe.WatchAwait{
		Want: map[string]bool{allowProbe: true, denyProbe: s.count == 0}, Settle: settled, Limit: patienceFor(s.count),
	})
	return err
}

func (s *policyHTTP) policies() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for i := range s.count {
		name, path := fmt.Sprintf("http-%d", i+1), fmt.Sprintf("/nobody-%d", i+1)
		if i == s.count-1 {
			path = loadPath
		}
		all = append(all, s.subject.HTTP(name, webPort, path))
	}
	return all
}
