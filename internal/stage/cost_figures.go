package stage

import "github.com/cnibench/cnibench/internal/probe/sample"

// CostFigures are the CPU time per throughput, in all and without the load
// generator's share; unattributed says why that share is not known.
func CostFigures(bitsPerSecond float64, ms Machines, unattributed string) Figures {
	var f Figures
	if ms.Unknown != "" {
		f.Lack(ms.Unknown, CPUPerGbit, CPUPerGbitNet, EnergyPerGbit)
		return f
	}
	if !(bitsPerSecond > 0) {
		f.Lack("nothing was carried", CPUPerGbit, CPUPerGbitNet, EnergyPerGbit)
		return f
	}
	list := make([]sample.Summary, 0, len(ms.Summaries))
	for _, node := range ms.nodes() {
		s := ms.Summaries[node]
		if _, err := group(s, node, GroupLoad); err != nil && unattributed == "" {
			unattributed = err.Error()
		}
		list = append(list, s)
	}
	f.Merge(energyFigures(bitsPerSecond, ms))
	f.Add(CPUPerGbit, 1000*ms.TotalBusy()/(bitsPerSecond/1e9))
	if unattributed != "" {
		f.Lack(unattributed, CPUPerGbitNet)
		return f
	}
	cost, err := sample.CPUEfficiency(bitsPerSecond, GroupLoad, list...)
	switch {
	case err != nil:
		f.Lack(err.Error(), CPUPerGbitNet)
	case cost.WithoutLoad > 0:
		f.Add(CPUPerGbitNet, cost.WithoutLoad)
	default:
		// Modes and control groups are counted by different clocks of the kernel.
		f.Lack("the load generator's share is all that was busy, as exactly as the kernel counts", CPUPerGbitNet)
	}
	return f
}
