package stage

import (
	"context"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// NodeVitals asks the probe on a node whether the node is well.
func NodeVitals(ctx context.Context, c *cluster.Cluster, node string, spec vitals.Spec) (vitals.Report, error) {
	s, err := Open(ctx, "probe on "+node, ProbeOnNode(c, node), "vitals", spec)
	if err != nil {
		return vitals.Report{}, err
	}
	defer s.Close()
	var report vitals.Report
	err = s.Read(vitals.Frame, &report)
	return report, err
}
