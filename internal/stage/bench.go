package stage

import (
	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
)

// Bench is what a trial works with: a cluster that runs a variant, the load
// pods in it, and Raw, a directory for the evidence.
type Bench struct {
	Cluster *cluster.Cluster
	Entry   cni.Entry
	Stage   *Stage
	Raw     string
	// Installation is how the variant came into the cluster.
	Installation Installation
	// Charts has those of the variant's other versions; nil: nobody has.
	Charts cni.ChartSource
	// Peer is a second cluster with the same variant, in reach of this one; nil:
	// there is none.
	Peer *Bench
	// beyond are the load pods in the peer's cluster; nil: the load is in this
	// one alone.
	beyond []cluster.Pod

	// Observe is told of what was sampled in a trial; nil: nobody asks.
	Observe func(Machines)
	// Restarting is told which of the cluster's programs, NODE/SERVICE as in
	// cluster.Machines, the trial restarts itself; nil: nobody asks.
	Restarting func(program string)
	// Report is told what a trial waits for once its load is over; nil: nobody
	// asks.
	Report func(step string)
	// evidence notes what could not be kept; nil outside of a trial.
	evidence *evidence
	// counters are the plugin's own around the load; nil: nobody asks.
	counters *cniCounters
}

// Trial measures on a bench that notes what evidence is lost and reads the
// plugin's own counters around the load, and tells both in the measurement. A
// trial within a trial is part of the outer one, which tells.
func (b *Bench) Trial(measure func(*Bench) (Measurement, error)) (Measurement, error) {
	within := *b
	if b.evidence == nil {
		within.evidence = &evidence{}
	}
	if b.Peer != nil {
		peer := *b.Peer
		peer.evidence = within.evidence // one trial keeps the evidence of both
		within.Peer = &peer
	}
	m, err := within.counting(measure)
	if err == nil && b.evidence == nil {
		m.Marks = append(m.Marks, within.evidence.marks()...)
	}
	return m, err
}
