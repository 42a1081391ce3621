package cni

import (
	"context"
	"errors"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// second shows that the pods of a dual-stack cluster reach each other by their
// second addresses, too, and looks at the packets that this path takes. The
// catalog says nothing of the second path's encapsulation, so that its size is
// a fact and contradicts nothing.
func (p Prover) second(ctx context.Context, proof *Proof) error {
	if p.Server.SecondIP == "" {
		return nil
	}
	p.Server.IP = p.Server.SecondIP
	err := cluster.Until(ctx, proofTimeout, "connectivity by the second addresses of pods", func(ctx context.Context) error {
		return Reach(ctx, p.Cluster, p.Client, p.Server.IP, p.EchoPort)
	})
	if err != nil {
		return disproof(ctx, "reach", err)
	}
	var second probe.PathMTU
	err = p.searchMTU(ctx, &second)
	var exit *cluster.ExitError
	if errors.As(err, &exit) {
		return disproof(ctx, "path MTU of second addresses", err)
	}
	if err == nil {
		proof.Second = &second
	}
	return err
}
