package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cnibench/cnibench/internal/probe"
)

// netns describes the network namespace of a node.
func (m *existingMachines) netns(ctx context.Context, node string) (probe.Netns, error) {
	spec, err := json.Marshal(probe.LoadSpec{Processes: []probe.Process{{Argv: []string{"true"}}}, Timeout: markTimeout})
	if err != nil {
		return probe.Netns{}, err
	}
	// The probe runs for as long as its stdin is open.
	stdin, toStdin := io.Pipe()
	defer func() { _ = toStdin.Close() }()
	go func() { _, _ = toStdin.Write(append(spec, '\n')) }()
	ctx, cancel := context.WithTimeout(ctx, markTimeout)
	defer cancel()
	var stdout, stderr bytes.Buffer
	execErr := m.RunOnNode(ctx, node, m.ProbeArgv("load"), stdin, &stdout, &stderr)
	var report probe.LoadReport
	_, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	if err == nil {
		err = json.Unmarshal(payload, &report)
	}
	if err != nil {
		return probe.Netns{}, fmt.Errorf("looking at the network of %s: %w: %v: %s", node, err, execErr, bytes.TrimSpace(stderr.Bytes()))
	}
	return report.Netns, nil
}

const congestionSysctl = "net.ipv4.tcp_congestion_control"

// congestionControl returns the sysctls that load pods need to send as their
// nodes do. A pod inherits the kernel's default, which is its node's, unless
// the node is a namespace with a default of its own.
func (m *existingMachines) congestionControl(ctx context.Context) (map[string]string, error) {
	node := m.ends[0]
	netns, err := m.netns(ctx, node)
	if err != nil {
		return nil, err
	}
	own := netns.Sysctls[congestionSysctl]
	inherited, err := m.output(ctx, node, "unshare", "-n", "cat", "/proc/sys/net/ipv4/tcp_congestion_control")
	if inherited = strings.TrimSpace(inherited); err != nil || own == "" || inherited == own {
		return nil, nil // what cannot be found out is left alone; trials record what pods have
	}
	return map[string]string{congestionSysctl: own}, nil
}
