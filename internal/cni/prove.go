package cni

import (
	"context"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
)

// proofTimeout bounds each part: routes and Service rules may follow the
// plugin's readiness by some seconds.
const proofTimeout = 60 * time.Second

// Prover shows that a variant's datapath is what the catalog says, with a pair
// of pods on two nodes. The server pod echoes TCP and UDP.
type Prover struct {
	Cluster        *cluster.Cluster
	Entry          Entry
	Client, Server cluster.Pod
	EchoPort       int
	LinkMTU        int // of the nodes' link, in bytes
	// Service returns when a Service in front of the server carries
	// connections; nil: nothing carries Services here.
	Service func(context.Context) error
	// Evidence is the directory for what contradicts the catalog; empty: a
	// temporary one, which the error names.
	Evidence string
	Report   func(step string)
}

// Prove shows that pods reach each other and Services across nodes, and that
// packets of the expected size fit. A thorough proof adds what a variant's
// configuration decides once and for all: what travels between the nodes, DNS,
// and whether NetworkPolicies are enforced. What contradicts the catalog is a
// *ProofError.
func (p Prover) Prove(ctx context.Context, thorough bool) (Proof, error) {
	proof := Proof{At: time.Now().UTC(), Entry: p.Entry, LinkMTU: p.LinkMTU}
	if err := p.reach(ctx, &proof); err != nil {
		return proof, err
	}
	p.Report("pods reach each other across nodes; proving path MTU and Service")
	if err := p.mtu(ctx, &proof); err != nil {
		return proof, err
	}
	if err := p.second(ctx, &proof); err != nil {
		return proof, err
	}
	if err := p.service(ctx, &proof); err != nil {
		return proof, err
	}
	if err := AwaitAgents(ctx, p.Cluster, p.Entry); err != nil {
		return proof, err
	}
	if thorough {
		if err := p.thoroughly(ctx, &proof); err != nil {
			return proof, err
		}
	}
	proof.Took = time.Since(proof.At)
	return proof, nil
}

func (p Prover) thoroughly(ctx context.Context, proof *Proof) error {
	p.Report("proving what travels between the nodes")
	if p.Entry.HostNetwork() {
		proof.skip("wire", "host network: nothing to prove")
		proof.skip("NetworkPolicy", "host network: policies do not apply")
		return nil
	}
	for _, part := range []func(context.Context, *Proof) error{p.backwards, p.dns, p.wire} {
		if err := part(ctx, proof); err != nil {
			return err
		}
	}
	p.Report("proving whether NetworkPolicies are enforced")
	return p.policy(ctx, proof)
}
