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

// Path is what a proof goes over: from a client pod to an echo server in a pod
// on another node, and to the same server through a Service.
type Path struct {
	Client, Server cluster.Pod
	ServiceIP      string
	EchoPort       int
	LinkMTU        int // of the nodes' link, in bytes
}

// proofTimeout bounds each part: routes and Service rules may follow the
// plugin's readiness by some seconds.
const proofTimeout = 60 * time.Second

// Prove shows that a variant carries packets between nodes and through a
// Service, and that the path takes packets of exactly the expected size. It
// returns the facts that it found.
func Prove(ctx context.Context, c *cluster.Cluster, e Entry, p Path) (map[string]string, error) {
	targets := map[string]string{"pod to pod": p.Server.IP, "pod to Service": p.ServiceIP}
	for _, what := range []string{"pod to pod", "pod to Service"} {
		if targets[what] == "" {
			continue // a cluster without kube-proxy and without a replacement
		}
		if err := cluster.Until(ctx, proofTimeout, what+" connectivity", func(ctx context.Context) error {
			return Reach(ctx, c, p.Client, targets[what], p.EchoPort)
		}); err != nil {
			return nil, fmt.Errorf("proving %s: %w", e.Name, err)
		}
	}
	mtu, err := pathMTU(ctx, c, p)
	if err != nil {
		return nil, fmt.Errorf("proving %s: %w", e.Name, err)
	}
	if want := p.LinkMTU - e.Variant.Encapsulation.Bytes; mtu != want {
		return nil, fmt.Errorf("proving %s: the path takes packets of up to %d bytes, expected %d (link %d, encapsulation %d)",
			e.Name, mtu, want, p.LinkMTU, e.Variant.Encapsulation.Bytes)
	}
	return map[string]string{"path MTU": strconv.Itoa(mtu), "link MTU": strconv.Itoa(p.LinkMTU)}, nil
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

func pathMTU(ctx context.Context, c *cluster.Cluster, p Path) (int, error) {
	var found probe.PathMTU
	err := ask(ctx, c, p.Client, probe.FrameMTU, &found, "reach", "mtu", p.Server.IP,
		"--port", strconv.Itoa(p.EchoPort), "--min", "576", "--max", strconv.Itoa(min(p.LinkMTU+100, largestPacket)))
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
