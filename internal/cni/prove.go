package cni

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// proofTimeout bounds each part: routes and Service rules may follow the
// plugin's readiness by some seconds.
const proofTimeout = 60 * time.Second

// ProveReach shows that a client pod reaches the echo server at an address: of
// a pod on another node, or of a Service.
func ProveReach(ctx context.Context, c *cluster.Cluster, client cluster.Pod, what, host string, port int) error {
	err := cluster.Until(ctx, proofTimeout, what+" connectivity", func(ctx context.Context) error {
		return Reach(ctx, c, client, host, port)
	})
	if err != nil {
		return fmt.Errorf("proving the datapath: %w", err)
	}
	return nil
}

// ProveMTU shows that the path between two pods takes packets of exactly the
// size that the variant leaves of the nodes' link, and returns it in bytes.
func ProveMTU(ctx context.Context, c *cluster.Cluster, e Entry, client, server cluster.Pod, port, linkMTU int) (int, error) {
	mtu, err := pathMTU(ctx, c, client, server, port, linkMTU)
	if err != nil {
		return 0, fmt.Errorf("proving the datapath: %w", err)
	}
	if want := linkMTU - e.Encapsulation.Bytes; mtu != want {
		return 0, fmt.Errorf("proving the datapath: it takes packets of up to %d bytes, expected %d (link %d, encapsulation %d)",
			mtu, want, linkMTU, e.Encapsulation.Bytes)
	}
	return mtu, nil
}

// reachTimeout is for one connection, with the retransmission of a lost SYN.
const reachTimeout = 2 * time.Second

// Reach connects from a pod to an echo server once.
func Reach(ctx context.Context, c *cluster.Cluster, client cluster.Pod, host string, port int) error {
	var r probe.Reach
	target := net.JoinHostPort(host, strconv.Itoa(port))
	if err := ask(ctx, c, client, probe.FrameReach, &r, "reach", "tcp", target, "--timeout", reachTimeout.String()); err != nil {
		return err
	}
	if !r.Reached {
		return fmt.Errorf("%s from %s: %s %s", target, client.Node, r.Reason, r.Error)
	}
	return nil
}

// largestPacket is the most that an IPv4 header can say.
const largestPacket = 65535

func pathMTU(ctx context.Context, c *cluster.Cluster, client, server cluster.Pod, port, linkMTU int) (int, error) {
	var found probe.PathMTU
	err := ask(ctx, c, client, probe.FrameMTU, &found, "reach", "mtu", server.IP,
		"--port", strconv.Itoa(port), "--min", "576", "--max", strconv.Itoa(min(linkMTU+100, largestPacket)))
	if err != nil {
		return 0, fmt.Errorf("measuring the path MTU: %w", err)
	}
	return found.Bytes, nil
}

// ask runs cnibench-probe in a pod and decodes the frame that it answers with.
func ask(ctx context.Context, c *cluster.Cluster, pod cluster.Pod, kind string, into any, args ...string) error {
	var stdout, stderr bytes.Buffer
	execErr := c.Exec(ctx, pod, append([]string{"cnibench-probe"}, args...), nil, &stdout, &stderr)
	got, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err != nil {
		if execErr != nil {
			return fmt.Errorf("%w: %s", execErr, bytes.TrimSpace(stderr.Bytes()))
		}
		return fmt.Errorf("reading the answer of cnibench-probe %q: %w", args, err)
	}
	if got != kind {
		return fmt.Errorf("cnibench-probe %q answered with a frame of kind %s", args, got)
	}
	return json.Unmarshal(payload, into)
}
