package cni

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// onEachNode does something on nodes, a few at a time, and returns the results
// by node.
func onEachNode[T any](nodes []string, do func(node string) (T, error)) (map[string]T, error) {
	results := make([]T, len(nodes))
	errs := make([]error, len(nodes))
	_ = cluster.AtOnce(nodesAtOnce, len(nodes), func(i int) error {
		results[i], errs[i] = do(nodes[i])
		return nil // all are tried
	})
	byNode := map[string]T{}
	for i, n := range nodes {
		byNode[n] = results[i]
	}
	return byNode, errors.Join(errs...)
}

// nodesAtOnce is how many nodes are worked on at the same time.
const nodesAtOnce = 16

// readNode asks a node for its state.
func readNode(ctx context.Context, c *cluster.Cluster, node string, paths []string) (nodestate.State, error) {
	var s nodestate.State
	err := askNode(ctx, c, node, probe.FrameNodeState, probe.NodeStateSpec{Paths: paths}, &s, "node", "state")
	if err != nil {
		return s, fmt.Errorf("looking at node %s: %w", node, err)
	}
	return s, nil
}

// cleanNode takes away what a plugin left on a node.
func cleanNode(ctx context.Context, c *cluster.Cluster, node string, spec probe.NodeCleanSpec) (nodestate.Cleaned, error) {
	var done nodestate.Cleaned
	err := askNode(ctx, c, node, probe.FrameNodeCleaned, spec, &done, "node", "clean")
	if err != nil {
		return done, fmt.Errorf("cleaning node %s: %w", node, err)
	}
	return done, nil
}

// askNode runs cnibench-probe on a node with a specification and decodes the
// frame that it answers with.
func askNode(ctx context.Context, c *cluster.Cluster, node, kind string, spec, into any, args ...string) error {
	stdin, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	argv := c.ProbeArgv(append(args, "--root", c.NodeRoot())...)
	runErr := c.RunOnNode(ctx, node, argv, bytes.NewReader(append(stdin, '\n')), &stdout, &stderr)
	got, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	switch {
	case runErr != nil:
		return fmt.Errorf("%w: %s", runErr, bytes.TrimSpace(stderr.Bytes()))
	case err != nil:
		return fmt.Errorf("reading the answer of cnibench-probe %q: %w", args, err)
	case got != kind:
		return fmt.Errorf("cnibench-probe %q answered with a frame of kind %s", args, got)
	}
	return json.Unmarshal(payload, into)
}
