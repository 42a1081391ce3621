package scenario

import (
	"context"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// NodeVitals asks the probe on a node whether the node is well.
func NodeVitals(ctx context.Context, c *cluster.Cluster, node string, spec vitals.Spec) (vitals.Report, error) {
	s, err := open(ctx, "probe on "+node, onNode(c, node), "vitals", spec)
	if err != nil {
		return vitals.Report{}, err
	}
	defer s.close()
	var report vitals.Report
	err = s.read(vitals.Frame, &report)
	return report, err
}
