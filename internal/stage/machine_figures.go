package stage

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// Metrics of the machines, with the margins of docs/methodology.md §3.
var (
	CPU = result.Metric{Name: "cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU of the machines, all modes: total less idle and iowait"}
	CPUPerGbit = result.Metric{Name: "cpu-per-gbit", Unit: "mCPU/(Gbit/s)", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU per throughput, all modes"}
	CPUPerGbitNet = result.Metric{Name: "cpu-per-gbit-net", Unit: "mCPU/(Gbit/s)", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU per throughput, without the load generator's own share"}
	CNICPU = result.Metric{Name: "cni-cpu", Unit: "cores", Better: result.Lower, Scale: result.Difference, Margin: 0.01,
		Help: "CPU of the plugin's own pods; the datapath in the kernel is not in it"}
	CNIMemory = result.Metric{Name: "cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "working set of the plugin's own pods"}
	Memory = result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "working set of everything that runs for the cluster; its difference to the host baseline is the memory overhead"}
)

// saturation is the share of all cores from which on a trial is marked.
const (
	saturation    = 0.95
	MarkSaturated = "cpu-saturated" // nearly all cores were busy
)

// machineFigures are what every scenario reports of the machines, one summary
// per kernel.
func machineFigures(summaries map[string]sample.Summary) Figures {
	var f Figures
	var busy, cores float64
	for _, s := range summaries {
		busy += s.Busy
		cores += float64(s.Cores)
	}
	if busy > saturation*cores {
		f.Marks = []result.Mark{{Name: MarkSaturated, Detail: fmt.Sprintf("%.2f of %.0f cores were busy", busy, cores)}}
	}
	f.Add(CPU, busy)
	return f
}

// ownedFigures are what runs on the machines, where that can be told apart. A
// variant without pods of its own uses nothing: a true zero.
func ownedFigures(summaries map[string]sample.Summary, hasAgents bool) Figures {
	var f Figures
	plugin, err := GroupTotal(summaries, GroupCNI)
	switch {
	case !hasAgents:
		f.Add(CNICPU, 0)
		f.Add(CNIMemory, 0)
	case err != nil:
		f.Lack(err.Error(), CNICPU, CNIMemory)
	default:
		f.Add(CNICPU, plugin.Cores)
		f.Add(CNIMemory, plugin.WorkingSet.Mean)
	}
	if whole, err := GroupTotal(summaries, GroupCluster); err != nil {
		f.Lack(err.Error(), Memory)
	} else {
		f.Add(Memory, whole.WorkingSet.Mean)
	}
	return f
}

// GroupTotal adds up a group over the machines. Each one's largest memory need
// not fall together with the others': their sum is an upper bound.
func GroupTotal(summaries map[string]sample.Summary, name string) (sample.GroupSummary, error) {
	var total sample.GroupSummary
	for _, node := range slices.Sorted(maps.Keys(summaries)) {
		g, err := group(summaries[node], node, name)
		if err != nil {
			return sample.GroupSummary{}, err
		}
		total = addGroups(total, g)
	}
	return total, nil
}

func group(s sample.Summary, node, name string) (sample.GroupSummary, error) {
	g, ok := s.Groups[name]
	switch {
	case !ok:
		return g, fmt.Errorf("the probe on %s did not sample the group %s", node, name)
	case g.Error != "":
		return g, fmt.Errorf("the probe on %s: group %s: %s", node, name, g.Error)
	case len(g.Missing) > 0:
		return g, fmt.Errorf("the probe on %s: group %s lacks %v", node, name, g.Missing)
	}
	return g, nil
}
