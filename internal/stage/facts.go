package stage

import (
	"context"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/facts"
)

// NodeFacts asks the probe on a node what the node is.
func NodeFacts(ctx context.Context, c *cluster.Cluster, node string, spec facts.Spec) (facts.Report, error) {
	return askFacts(ctx, "probe on "+node, ProbeOnNode(c, node), spec)
}

// PodFacts asks the probe in a load pod about the pod's network namespace.
func PodFacts(ctx context.Context, c *cluster.Cluster, pod cluster.Pod) (facts.Report, error) {
	return askFacts(ctx, "probe in "+pod.Name, ProbeInPod(c, pod), facts.Spec{Address: pod.IP, As: "pod", SkipKernel: true})
}

func askFacts(ctx context.Context, where string, run Runner, spec facts.Spec) (facts.Report, error) {
	s, err := Open(ctx, where, run, "facts", spec)
	if err != nil {
		return facts.Report{}, err
	}
	defer s.Close()
	var report facts.Report
	err = s.Read(facts.Frame, &report)
	return report, err
}
