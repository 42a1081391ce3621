package scenario

import (
	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// Bench is what a trial works with: a cluster that runs a variant, the load
// pods in it, and a directory for the evidence.
type Bench struct {
	Cluster *cluster.Cluster
	Entry   cni.Entry
	Stage   *Stage
	Raw     string
	// Installation is how the variant came into the cluster.
	Installation Installation

	// observe is told of what was sampled in a trial; nil: nobody asks.
	observe func(machines)
	// evidence notes what could not be kept; nil outside of Measure.
	evidence *evidence
	// counters are the plugin's own around the load; nil: nobody asks.
	counters *cniCounters
}
