package cni

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cnibench/cnibench/internal/cluster"
)

const (
	// policyTimeout is for a policy to act, and to act no more.
	policyTimeout = 20 * time.Second
	// idleTime is how long traffic must flow in spite of a policy before it
	// is said to change nothing. Agents that enforce need less.
	idleTime = time.Second
	// attemptTimeout is for a connection that a policy may drop.
	attemptTimeout = 300 * time.Millisecond
)

// policy shows whether a deny-all NetworkPolicy stops connections and, if so,
// that they flow again without it.
func (p Prover) policy(ctx context.Context, proof *Proof) (err error) {
	policies := p.Cluster.Kube().NetworkingV1().NetworkPolicies(p.Server.Namespace)
	denyAll := &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "cnibench-deny-all", Labels: map[string]string{"app.kubernetes.io/managed-by": "cnibench"}},
		Spec:       networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}},
	}
	if err := p.connects(ctx, attemptTimeout); err != nil {
		return disproof(ctx, "NetworkPolicy", fmt.Errorf("before there is any: %w", err))
	}
	if _, err := policies.Create(ctx, denyAll, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating network policy %s: %w", denyAll.Name, err)
	}
	start := time.Now()
	remove := func() error {
		err := policies.Delete(context.WithoutCancel(ctx), denyAll.Name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing network policy %s: %w", denyAll.Name, err)
		}
		return nil
	}
	patience := idleTime
	if p.Entry.Enforces.NetworkPolicy || p.Entry.Variant.Present {
		patience = policyTimeout
	}
	took, denied, err := p.denied(ctx, start, patience)
	if err = errors.Join(err, remove()); err != nil {
		return err
	}
	if proof.Policy, err = judgePolicy(p.Entry, denied, took); err != nil {
		return disproof(ctx, "NetworkPolicy", err)
	}
	err = cluster.Until(ctx, policyTimeout, "connections to flow without the policy", func(ctx context.Context) error {
		return p.connects(ctx, attemptTimeout)
	})
	if err != nil {
		return disproof(ctx, "NetworkPolicy", err)
	}
	return nil
}

// denied tries to connect until two attempts in a row do not arrive, or none
// did for the time of patience. It returns when the first of the two began.
func (p Prover) denied(ctx context.Context, start time.Time, patience time.Duration) (took time.Duration, denied bool, err error) {
	var lost *notReachedError
	failures := 0
	for time.Since(start) < patience || failures > 0 {
		began := time.Since(start)
		err := p.connects(ctx, attemptTimeout)
		switch {
		case err == nil:
			failures = 0
			continue
		case !errors.As(err, &lost):
			return 0, false, err
		}
		if failures++; failures == 1 {
			took = began
		}
		if failures == 2 {
			return took, true, nil
		}
	}
	return 0, false, nil
}

// judgePolicy compares what a policy did with what the catalog says, and puts
// it in words.
func judgePolicy(e Entry, denied bool, took time.Duration) (string, error) {
	switch says := e.Enforces.NetworkPolicy; {
	case denied && (says || e.Variant.Present):
		return fmt.Sprintf("enforced (ingress deny-all took %.1f s to act)", took.Seconds()), nil
	case denied:
		return "", fmt.Errorf("connections stopped %.1f s after a deny-all policy, but %s is said to enforce none", took.Seconds(), e.Plugin.Name)
	case says:
		return "", fmt.Errorf("connections still arrive %s after a deny-all policy, which %s is said to enforce", policyTimeout, e.Plugin.Name)
	}
	return fmt.Sprintf("unsupported (%s enforces none: a deny-all policy changed nothing)", e.Plugin.Name), nil
}

func (p Prover) connects(ctx context.Context, timeout time.Duration) error {
	return reach(ctx, p.Cluster, p.Client, net.JoinHostPort(p.Server.IP, strconv.Itoa(p.EchoPort)), timeout)
}
