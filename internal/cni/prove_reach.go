package cni

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// reachTimeout is for one connection, with the retransmission of a lost SYN.
const reachTimeout = 2 * time.Second

// Reach connects from a pod to an echo server once.
func Reach(ctx context.Context, c *cluster.Cluster, client cluster.Pod, host string, port int) error {
	return reach(ctx, c, client, net.JoinHostPort(host, strconv.Itoa(port)), reachTimeout)
}

func reach(ctx context.Context, c *cluster.Cluster, client cluster.Pod, target string, timeout time.Duration) error {
	return askReach(ctx, c, client, "tcp", target, "--timeout", timeout.String())
}

func askReach(ctx context.Context, c *cluster.Cluster, client cluster.Pod, args ...string) error {
	var r probe.Reach
	if err := ask(ctx, c, client, probe.FrameReach, &r, nil, append([]string{"reach"}, args...)...); err != nil {
		return err
	}
	if !r.Reached {
		return &notReachedError{from: client.Node, reach: r}
	}
	return nil
}

// notReachedError is the network's answer, not a failure to ask it.
type notReachedError struct {
	from  string
	reach probe.Reach
}

func (e *notReachedError) Error() string {
	return fmt.Sprintf("%s from %s: %s %s", e.reach.Target, e.from, e.reach.Reason, e.reach.Error)
}

// reach shows that the client's pod reaches the server's.
func (p Prover) reach(ctx context.Context, proof *Proof) error {
	err := cluster.Until(ctx, proofTimeout, "pod to pod connectivity", func(ctx context.Context) error {
		return Reach(ctx, p.Cluster, p.Client, p.Server.IP, p.EchoPort)
	})
	if err != nil {
		return disproof(ctx, "reach", err)
	}
	proof.Reached = append(proof.Reached, "pod to pod")
	return nil
}

// service shows that the client's pod reaches the server's through a Service.
func (p Prover) service(ctx context.Context, proof *Proof) error {
	if p.Service == nil {
		proof.skip("Service", "nothing carries Services here: the cluster has no kube-proxy")
		return nil
	}
	if err := p.Service(ctx); err != nil {
		return disproof(ctx, "Service", err)
	}
	proof.Reached = append(proof.Reached, "Service")
	return nil
}

// backwardsPort is where the client's pod echoes for a moment.
const backwardsPort = 7008

// backwards shows that the server's pod can open connections to the client's:
// that answers come back shows it for answers only.
func (p Prover) backwards(ctx context.Context, proof *Proof) error {
	echo := probe.LoadSpec{
		Processes: []probe.Process{{Argv: []string{"cnibench-probe", "reach", "echo", "--port", strconv.Itoa(backwardsPort)}}},
		Timeout:   proofTimeout, Listen: []int{backwardsPort},
	}
	s, err := open(ctx, "echo server in "+p.Client.Name, inPod(p.Cluster, p.Client), "load", echo)
	if err != nil {
		return err
	}
	defer s.end()
	var ready probe.LoadReady
	if err := s.read(probe.FrameReady, &ready); err != nil {
		return err
	}
	err = cluster.Until(ctx, proofTimeout, "connectivity the other way round", func(ctx context.Context) error {
		return Reach(ctx, p.Cluster, p.Server, p.Client.IP, backwardsPort)
	})
	if err != nil {
		return disproof(ctx, "reach", err)
	}
	proof.Reached = append(proof.Reached, "pod to pod backwards")
	return nil
}

// dns shows that names resolve, where the cluster has a DNS Service. The pod's
// own search list completes the name, so that the cluster's domain need not
// be known.
func (p Prover) dns(ctx context.Context, proof *Proof) error {
	address, missing, err := p.Cluster.DNS(ctx)
	if err != nil {
		return err
	}
	if missing != "" {
		proof.skip("DNS", missing)
		return nil
	}
	server := net.JoinHostPort(address, "53")
	err = cluster.Until(ctx, proofTimeout, "DNS", func(ctx context.Context) error {
		return askReach(ctx, p.Cluster, p.Client, "dns", server, "kubernetes.default.svc", "--timeout", reachTimeout.String())
	})
	if err != nil {
		return disproof(ctx, "DNS", err)
	}
	proof.Reached = append(proof.Reached, "DNS")
	return nil
}

// disproof makes an error one of the proof, unless the proof was interrupted.
func disproof(ctx context.Context, part string, err error, evidence ...string) error {
	if ctx.Err() != nil {
		return err
	}
	return &ProofError{Part: part, Err: err, Evidence: evidence}
}
