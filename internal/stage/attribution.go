package stage

import (
	"maps"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Unattributed says why CPU time and memory cannot be attributed to pods here,
// or nothing. There is only the machine's CPU time then: no figure is better
// than a wrong one.
func (b *Bench) Unattributed() string {
	unknown := b.Cluster.Unattributed()
	var reasons []string
	for _, node := range slices.Sorted(maps.Keys(unknown)) {
		reasons = append(reasons, node+": "+unknown[node])
	}
	if b.beyond != nil {
		if why := b.Peer.Unattributed(); why != "" {
			reasons = append(reasons, "in the second cluster: "+why)
		}
	}
	return strings.Join(reasons, "; ")
}

// attribution is the fact about it that every trial has.
func (b *Bench) attribution() string {
	if why := b.Unattributed(); why != "" {
		return "none: " + why
	}
	return "by control group"
}

// resources are the figures of machines and, where they can be attributed, of
// what runs on them.
func (b *Bench) resources(ms Machines) Figures {
	if b.Observe != nil {
		b.Observe(ms)
	}
	var f Figures
	if ms.Unknown != "" {
		f.Lack(ms.Unknown, CPU, CNICPU, CNIMemory, Memory)
		f.Lack(ms.Unknown, DetailMetrics()...)
		return f
	}
	f.Merge(machineFigures(ms.Summaries))
	why, hasAgents := b.Unattributed(), len(b.Entry.Agents) > 0
	if why != "" {
		f.Lack(why, CNICPU, CNIMemory, Memory)
		f.Lack(why, ownerMetrics...)
	} else {
		f.Merge(ownedFigures(ms.Summaries, hasAgents))
		f.Merge(ownerFigures(ms, hasAgents))
	}
	f.Merge(detailFigures(ms))
	return f
}

// perKernel makes one summary of those of nodes that share a kernel: each saw
// the whole machine, and its own node's control groups.
func (b *Bench) perKernel(ms Machines) Machines {
	if len(ms.Summaries) < 2 {
		return ms
	}
	merged := Machines{Summaries: map[string]sample.Summary{}, Unknown: ms.Unknown}
	for kernel, summaries := range b.byKernel(ms.Summaries) {
		if kernel == ownKernels || len(summaries) < 2 {
			maps.Copy(merged.Summaries, summaries)
			continue
		}
		name, one := ofOneKernel(summaries)
		merged.Summaries[name] = one
	}
	return merged
}

// ofOneKernel makes one summary of several.
func ofOneKernel(summaries map[string]sample.Summary) (string, sample.Summary) {
	nodes := slices.Sorted(maps.Keys(summaries))
	one := summaries[nodes[0]]
	groups := map[string]sample.GroupSummary{}
	for _, node := range nodes {
		one.LargestGap = max(one.LargestGap, summaries[node].LargestGap)
		one.ClockStep = max(one.ClockStep, summaries[node].ClockStep)
		for name, g := range summaries[node].Groups {
			groups[name] = addGroups(groups[name], g)
		}
	}
	one.Groups = groups
	return strings.Join(nodes, "+"), one
}

// addGroups sums what two samplers saw of a group. Its maxima need not fall
// together, so their sum is an upper bound.
func addGroups(a, b sample.GroupSummary) sample.GroupSummary {
	if a.Error == "" {
		a.Error = b.Error
	}
	a.Cores += b.Cores
	a.User += b.User
	a.System += b.System
	a.WorkingSet.Mean += b.WorkingSet.Mean
	a.WorkingSet.Max += b.WorkingSet.Max
	a.Missing = append(slices.Clone(a.Missing), b.Missing...)
	return a
}
