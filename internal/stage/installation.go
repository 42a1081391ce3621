package stage

import "github.com/cnibench/cnibench/internal/cni"

// Installation is how the variant came into the cluster.
type Installation struct {
	Manifests cni.Manifests
	Timeline  cni.Timeline
	// Earlier tells that it took place in an earlier block than the trial.
	Earlier bool
	// Outlives tells that the cluster is there after the run, whatever ends it:
	// it was before, or it is kept.
	Outlives bool
}
