package stage

import (
	"context"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe"
)

// Netns is what a network namespace looks like from inside.
type Netns struct{ probe.Netns }

// MTUOf finds the interface that has an address and returns its MTU in bytes,
// or 0 if no interface has it.
func (n Netns) MTUOf(address string) int {
	i, _ := n.interfaceOf(address)
	return i.MTU
}

// interfaceOf finds the interface that has an address.
func (n Netns) interfaceOf(address string) (probe.Interface, bool) {
	for _, i := range n.Interfaces {
		for _, a := range i.Addresses {
			if strings.HasPrefix(a, address+"/") {
				return i, true
			}
		}
	}
	return probe.Interface{}, false
}

// DescribeNode looks at a node's network namespace.
func DescribeNode(ctx context.Context, c *cluster.Cluster, node string) (Netns, error) {
	return describe(ctx, "probe on "+node, ProbeOnNode(c, node))
}

// DescribePod looks at a load pod's network namespace.
func DescribePod(ctx context.Context, c *cluster.Cluster, pod cluster.Pod) (Netns, error) {
	return describe(ctx, "probe in "+pod.Name, ProbeInPod(c, pod))
}

// describe runs a load that does nothing: its report has the namespace.
func describe(ctx context.Context, where string, run Runner) (Netns, error) {
	spec := probe.LoadSpec{Processes: []probe.Process{{Argv: []string{"true"}}}, Timeout: 10 * time.Second}
	s, err := Open(ctx, where, run, "load", spec)
	if err != nil {
		return Netns{}, err
	}
	defer s.Close()
	var report probe.LoadReport
	if err := s.Read(probe.FrameReport, &report); err != nil {
		return Netns{}, err
	}
	return Netns{report.Netns}, nil
}
