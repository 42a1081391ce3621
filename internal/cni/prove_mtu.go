package cni

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// largestPacket is the most that an IPv4 header can say.
const largestPacket = 65535

// mtu shows that the path between the pods takes packets of exactly the size
// that the variant leaves of the nodes' link.
func (p Prover) mtu(ctx context.Context, proof *Proof) error {
	err := p.searchMTU(ctx, &proof.MTU)
	var exit *cluster.ExitError
	if errors.As(err, &exit) { // no size passes
		return disproof(ctx, "path MTU", err)
	}
	if err != nil {
		return fmt.Errorf("measuring the path MTU: %w", err)
	}
	if err := judgeMTU(p.Entry, p.LinkMTU, proof.MTU); err != nil {
		return disproof(ctx, "path MTU", err)
	}
	return nil
}

// searchMTU finds the largest packet that reaches the server and comes back.
func (p Prover) searchMTU(ctx context.Context, into *probe.PathMTU) error {
	return ask(ctx, p.Cluster, p.Client, probe.FrameMTU, into, nil, "reach", "mtu", p.Server.IP,
		"--port", strconv.Itoa(p.EchoPort), "--min", "576", "--max", strconv.Itoa(min(p.LinkMTU+100, largestPacket)))
}

// judgeMTU compares the three views of a path's MTU with each other and with
// what the encapsulation leaves of the link. The interface's own may be larger
// than the route's (Cilium lowers the route's alone): connections follow the
// route. A larger packet that a program forces on the path may then pass in
// fragments of the tunnel, which is no contradiction. But a path that takes
// less than its route promises loses packets (Canal with its defaults).
func judgeMTU(e Entry, link int, m probe.PathMTU) error {
	if m.Route > m.Bytes {
		return fmt.Errorf("the pod's route promises packets of %d bytes (interface %s: %d), but the path takes %d: larger ones are lost",
			m.Route, m.Interface, m.Device, m.Bytes)
	}
	if e.Variant.Present {
		return nil // nothing is said of what the cluster has
	}
	if want := link - e.Encapsulation.Bytes; m.Route != want {
		return fmt.Errorf("packets of up to %d bytes are sent, expected %d (link %d, encapsulation %d; route %d, interface %s %d, largest that passed %d)",
			m.Route, want, link, e.Encapsulation.Bytes, m.Route, m.Interface, m.Device, m.Bytes)
	}
	return nil
}
