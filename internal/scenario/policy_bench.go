package scenario

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/policy"
	"github.com/cnibench/cnibench/internal/stage"
)

const (
	// policyPatience is how long policies may take to act, or to act no more,
	// where that is not what is measured.
	policyPatience = 30 * time.Second
	// settled is how many attempts in a row show a state: 0.1 s of them.
	settled = 20
)

// Names of what watchers try to reach.
const (
	allowProbe = "allow probe"
	denyProbe  = "deny probe"
)

// policyBench is what all scenarios about policies need: two ends, a pod that
// is neither, and who policies are about.
type policyBench struct {
	*stage.Bench
	pair    stage.Pair
	witness cluster.Pod
	subject policy.Subject
}

// newPolicyBench prepares the pods and removes what a crashed trial left.
func newPolicyBench(ctx context.Context, b *stage.Bench, ends stage.Ends) (*policyBench, error) {
	pair, err := b.Stage.Pair(ctx, ends)
	if err != nil {
		return nil, err
	}
	if pair.Server.HostNetwork || pair.Client.HostNetwork {
		return nil, &stage.UnsupportedError{Reason: "NetworkPolicies do not apply to pods with their node's network"}
	}
	witness, err := newWitness(ctx, b, pair)
	if err != nil {
		return nil, err
	}
	if _, err := b.Cluster.RemovePolicies(ctx); err != nil {
		return nil, err
	}
	return &policyBench{b, pair, witness, policy.Subject{
		Namespace: stage.Namespace, Labels: cluster.Labels(cluster.PolicyComponent),
		Server: pair.Server.Name, Client: pair.Client.Name, Witness: witness.Name,
	}}, nil
}

// newWitness makes a pod beside the client that policies can tell from it. One of
// its ports has a name.
func newWitness(ctx context.Context, b *stage.Bench, pair stage.Pair) (cluster.Pod, error) {
	pod := b.Stage.Pod("witness", pair.Client.Node, stage.InPod, []string{"cnibench-probe", "pause"})
	pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: policy.NamedPort, ContainerPort: policy.FirstPort, Protocol: corev1.ProtocolTCP}}
	pods, err := b.Cluster.CreatePods(ctx, []*corev1.Pod{pod}, stage.PodTimeout)
	if err != nil {
		return cluster.Pod{}, err
	}
	return pods[0], nil
}

// listen serves ports in a pod until the session is closed.
func listen(ctx context.Context, b *stage.Bench, pod cluster.Pod, spec probe.ListenSpec) (*stage.Session, probe.ListenReady, error) {
	var ready probe.ListenReady
	s, err := stage.Open(ctx, "listener in "+pod.Name, stage.ProbeInPod(b.Cluster, pod), "listen", spec)
	if err != nil {
		return nil, ready, err
	}
	return s, ready, s.Read(probe.FrameReady, &ready)
}

// apiCall is when an API call was made, by our clock.
type apiCall struct {
	Begun time.Time `json:"begun"`
	Done  time.Time `json:"done"`
}

// apply creates policies.
func (p *policyBench) apply(ctx context.Context, policies ...*networkingv1.NetworkPolicy) (apiCall, error) {
	c := apiCall{Begun: time.Now().UTC()}
	err := p.Cluster.CreatePolicies(ctx, policies)
	c.Done = time.Now().UTC()
	return c, err
}

// clear removes all policies, also of a trial that was interrupted. Where it
// goes on, then, they act no more: the watcher reaches its targets.
func (p *policyBench) clear(ctx context.Context, w *watcher, targets ...string) error {
	removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), policyPatience)
	defer cancel()
	if _, err := p.Cluster.RemovePolicies(removing); err != nil || ctx.Err() != nil || w == nil {
		return err
	}
	_, err := w.mustSettle("after the policies were removed", awaitAll(true, targets...))
	return err
}

// clearAfter clears up after a trial with an error of its own. Whatever a
// watcher that failed already would say adds nothing to it.
func (p *policyBench) clearAfter(ctx context.Context, failed error, w *watcher, targets ...string) error {
	if failed != nil {
		w = nil
	}
	return errors.Join(failed, p.clear(ctx, w, targets...))
}

// patienceFor grows with the number of policies, so that slow is not taken for
// never.
func patienceFor(policies int) time.Duration {
	return policyPatience + time.Duration(policies)*50*time.Millisecond
}

// awaitAll waits until all targets are reached, or none is.
func awaitAll(reached bool, targets ...string) probe.WatchAwait {
	a := probe.WatchAwait{Want: map[string]bool{}, Settle: settled, Limit: policyPatience}
	for _, t := range targets {
		a.Want[t] = reached
	}
	return a
}

func tcpTarget(name, ip string, port int) probe.WatchTarget {
	return probe.WatchTarget{Name: name, Network: probe.NetworkTCP, Address: hostPort(ip, port)}
}

func hostPort(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// unenforced turns the news that a policy did not act into what it means: of a
// plugin that is said to enforce policies it is a failure; one that was there
// before us may be of any kind.
func unenforced(b *stage.Bench, err error) error {
	var unsettled *unsettledError
	if errors.As(err, &unsettled) && b.Entry.Variant.Present && !b.Entry.Enforces.NetworkPolicy {
		return &stage.UnsupportedError{Reason: fmt.Sprintf("the cluster's plugin enforces no NetworkPolicy: %v", err)}
	}
	return err
}
