package sample

import (
	"errors"
	"fmt"
	"math"
)

// Efficiency is what a throughput costs, in thousandths of a core per Gbit/s.
type Efficiency struct {
	// All counts everything that was busy, in all modes.
	All float64 `json:"all"`
	// WithoutLoad leaves out what the load generator's own cgroups used.
	WithoutLoad float64 `json:"withoutLoad"`
}

// CPUEfficiency divides what machines used by the throughput they carried, in
// bits per second. Each kernel counts once: one summary for nodes that share a
// machine, one per node otherwise. loadGroup names the group of the load
// generator; it is an error when a machine has no usable figures for it.
func CPUEfficiency(bitsPerSecond float64, loadGroup string, machines ...Summary) (Efficiency, error) {
	if !(bitsPerSecond > 0) || math.IsInf(bitsPerSecond, 0) {
		return Efficiency{}, fmt.Errorf("CPU efficiency at %v bit/s is not defined", bitsPerSecond)
	}
	if len(machines) == 0 {
		return Efficiency{}, errors.New("CPU efficiency needs the summary of a machine")
	}
	var busy, load float64
	for _, m := range machines {
		g, ok := m.Groups[loadGroup]
		if !ok {
			return Efficiency{}, fmt.Errorf("CPU efficiency: there is no group %q", loadGroup)
		}
		if g.Error != "" {
			return Efficiency{}, fmt.Errorf("CPU efficiency: group %q: %s", loadGroup, g.Error)
		}
		if len(g.Missing) > 0 {
			return Efficiency{}, fmt.Errorf("CPU efficiency: group %q lacks %q", loadGroup, g.Missing)
		}
		busy += m.Busy
		load += g.Cores
	}
	perGbit := 1000 / (bitsPerSecond / 1e9)
	return Efficiency{All: busy * perGbit, WithoutLoad: (busy - load) * perGbit}, nil
}
