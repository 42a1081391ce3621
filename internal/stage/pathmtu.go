package stage

import (
	"context"
	"strconv"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// smallestMTU is what every IPv4 host takes (RFC 791), in bytes.
const smallestMTU = 576

// PathMTU searches the largest IP packet that reaches the echo of a pair's
// server and comes back unfragmented. Most bounds the search, in bytes.
func PathMTU(ctx context.Context, c *cluster.Cluster, pair Pair, most int) (probe.PathMTU, error) {
	return PathMTUTo(ctx, PodEnd(c, pair.Client), Address{Host: pair.Server.IP}, probe.BothWays, most)
}

// PathMTUTo searches the largest IP packet that passes unfragmented between an
// end and the echo of a server at an address, there and back or one way alone.
// Most bounds the search, in bytes.
func PathMTUTo(ctx context.Context, from LoadEnd, to Address, way probe.Way, most int) (probe.PathMTU, error) {
	var m probe.PathMTU
	err := ask(ctx, from.Run, probe.FrameMTU, &m, "reach", "mtu", to.Host, "--port", strconv.Itoa(to.Port(EchoPort)),
		"--way", string(way), "--min", strconv.Itoa(smallestMTU), "--max", strconv.Itoa(min(most, 65535)))
	return m, err
}
