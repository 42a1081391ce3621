package stage

import (
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// conditions are what the machines went through that no variant makes them do;
// nil where they are not known.
func conditions(ms Machines) map[string]result.Condition {
	var all map[string]result.Condition
	for _, node := range ms.nodes() {
		s := ms.Summaries[node]
		if s.Cores < 1 {
			continue
		}
		if all == nil {
			all = map[string]result.Condition{}
		}
		all[node] = result.Condition{
			Steal: s.Modes.Steal / float64(s.Cores), ForeignCPU: foreignCPU(s, node), ClockStep: s.ClockStep.Seconds(),
		}
	}
	return all
}

// foreignCPU is the share of a machine's CPU time that programs outside the
// cluster spent in user mode. The kernel's time is left out, for the datapath
// runs in it: in softirq, and in kernel threads that encrypt.
func foreignCPU(s sample.Summary, node string) *float64 {
	whole, err := group(s, node, GroupCluster)
	if err != nil {
		return nil
	}
	share := (s.Modes.User + s.Modes.Nice - whole.User) / float64(s.Cores)
	return &share
}
