package scenario

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/scenario/policy"
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
	*Bench
	pair    Pair
	witness cluster.Pod
	subject policy.Subject
}

// policyBench prepares the pods and removes what a crashed trial left.
func (b *Bench) policyBench(ctx context.Context, ends Ends) (*policyBench, error) {
	pair, err := b.Stage.Pair(ctx, ends)
	if err != nil {
		return nil, err
	}
	if pair.Server.HostNetwork || pair.Client.HostNetwork {
		return nil, &UnsupportedError{"NetworkPolicies do not apply to pods with their node's network"}
	}
	witness, err := b.Stage.witness(ctx, pair)
	if err != nil {
		return nil, err
	}
	if _, err := b.Cluster.RemovePolicies(ctx); err != nil {
		return nil, err
	}
	return &policyBench{b, pair, witness, policy.Subject{
		Namespace: Namespace, Labels: cluster.Labels(cluster.PolicyComponent),
		Server: pair.Server.Name, Client: pair.Client.Name, Witness: witness.Name,
	}}, nil
}

// witness makes a pod beside the client that policies can tell from it. One of
// its ports has a name.
func (s *Stage) witness(ctx context.Context, pair Pair) (cluster.Pod, error) {
	pod := s.pod("witness", pair.Client.Node, InPod, []string{"cnibench-probe", "pause"})
	pod.Spec.Containers[0].Ports = []corev1.ContainerPort{{Name: policy.NamedPort, ContainerPort: policy.FirstPort, Protocol: corev1.ProtocolTCP}}
	pods, err := s.cluster.CreatePods(ctx, []*corev1.Pod{pod}, podTimeout)
	if err != nil {
		return cluster.Pod{}, err
	}
	return pods[0], nil
}

// listen serves ports in a pod until the session is closed.
func (b *Bench) listen(ctx context.Context, pod cluster.Pod, spec probe.ListenSpec) (*session, probe.ListenReady, error) {
	var ready probe.ListenReady
	s, err := open(ctx, "listener in "+pod.Name, inPod(b.Cluster, pod), "listen", spec)
	if err != nil {
		return nil, ready, err
	}
	return s, ready, s.read(probe.FrameReady, &ready)
}

// evidenceIn returns the bench with a directory of its own for evidence, for
// what is sampled besides the load.
func (b *Bench) evidenceIn(dir string) *Bench {
	within := *b
	within.Raw = filepath.Join(b.Raw, dir)
	if err := os.MkdirAll(within.Raw, 0o755); err != nil {
		b.lose(dir, err)
	}
	return &within
}

// call is when an API call was made, by our clock.
type call struct {
	Begun time.Time `json:"begun"`
	Done  time.Time `json:"done"`
}

// apply creates policies.
func (p *policyBench) apply(ctx context.Context, policies ...*networkingv1.NetworkPolicy) (call, error) {
	c := call{Begun: time.Now().UTC()}
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
func (b *Bench) unenforced(err error) error {
	var unsettled *unsettledError
	if errors.As(err, &unsettled) && b.Entry.Variant.Present && !b.Entry.Enforces.NetworkPolicy {
		return &UnsupportedError{fmt.Sprintf("the cluster's plugin enforces no NetworkPolicy: %v", err)}
	}
	return err
}
