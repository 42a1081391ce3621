package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// PathMTU searches the largest IP packet that reaches the echo of a pair's
// server and comes back unfragmented. Most bounds the search, in bytes.
func PathMTU(ctx context.Context, c *cluster.Cluster, pair Pair, most int) (probe.PathMTU, error) {
	var stdout, stderr bytes.Buffer
	argv := []string{"cnibench-probe", "reach", "mtu", pair.Server.IP, "--port", strconv.Itoa(EchoPort), "--min", "576", "--max", strconv.Itoa(min(most, 65535))}
	if err := c.Exec(ctx, pair.Client, argv, nil, &stdout, &stderr); err != nil {
		return probe.PathMTU{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	kind, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err != nil {
		return probe.PathMTU{}, err
	}
	var m probe.PathMTU
	if kind != probe.FrameMTU {
		return m, fmt.Errorf("cnibench-probe answered with a frame of kind %s", kind)
	}
	return m, json.Unmarshal(payload, &m)
}
