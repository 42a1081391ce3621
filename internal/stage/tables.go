package stage

import (
	"context"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/tables"
)

// NodeTables asks the probe on a node how full the node's tables of connections
// are: the kernel's own, and the BPF maps of those pins.
func NodeTables(ctx context.Context, c *cluster.Cluster, node string, pins []string) (tables.Report, error) {
	s, err := Open(ctx, "probe on "+node, ProbeOnNode(c, node), "tables", tables.Spec{Root: c.NodeRoot(), Pins: pins})
	if err != nil {
		return tables.Report{}, err
	}
	defer s.Close()
	var report tables.Report
	err = s.Read(tables.Frame, &report)
	return report, err
}
