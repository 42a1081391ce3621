package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// Metrics that several scenarios report, with the margins of docs/methodology.md §3.
var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "received payload of all streams, after the warm-up"}
	forwardThroughput = result.Metric{Name: "throughput-forward", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the throughput from clients to servers; reported where both send"}
	reverseThroughput = result.Metric{Name: "throughput-reverse", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03,
		Help: "the part of the throughput from servers to clients; reported where both send"}
	retransmits = result.Metric{Name: "retransmits", Unit: "segments/s", Better: result.Lower, Scale: result.Difference, Margin: 10,
		Help: "TCP segments sent again, all streams, after the warm-up"}
	rtt = result.Metric{Name: "rtt", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "round trip time under this load as the senders' TCP saw it, mean of the streams"}
	cpu = result.Metric{Name: "cpu", Unit: "cores", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU of the machines, all modes: total less idle and iowait"}
	cpuPerGbit = result.Metric{Name: "cpu-per-gbit", Unit: "mCPU/(Gbit/s)", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU per throughput, all modes"}
	cpuPerGbitNet = result.Metric{Name: "cpu-per-gbit-net", Unit: "mCPU/(Gbit/s)", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU per throughput, without the load generator's own share"}
	cniCPU = result.Metric{Name: "cni-cpu", Unit: "cores", Better: result.Lower, Scale: result.Difference, Margin: 0.01,
		Help: "CPU of the plugin's own pods; the datapath in the kernel is not in it"}
	cniMemory = result.Metric{Name: "cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "working set of the plugin's own pods"}
	memory = result.Metric{Name: "memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "working set of everything that runs for the cluster; its difference to the host baseline is the memory overhead"}
)

// saturation is the share of all cores from which on a trial is marked.
const (
	saturation    = 0.95
	markSaturated = "cpu-saturated"
)

// machineFigures are what every scenario reports of the machines, one summary
// per kernel.
func machineFigures(summaries map[string]sample.Summary) figures {
	var f figures
	var busy, cores float64
	for _, s := range summaries {
		busy += s.Busy
		cores += float64(s.Cores)
	}
	if busy > saturation*cores {
		f.marks = []result.Mark{{Name: markSaturated, Detail: fmt.Sprintf("%.2f of %.0f cores were busy", busy, cores)}}
	}
	f.add(cpu, busy)
	return f
}

// ownedFigures are what runs on the machines, where that can be told apart. A
// variant without pods of its own uses nothing: a true zero.
func ownedFigures(summaries map[string]sample.Summary, hasAgents bool) figures {
	var f figures
	plugin, err := groupTotal(summaries, groupCNI)
	switch {
	case !hasAgents:
		f.add(cniCPU, 0)
		f.add(cniMemory, 0)
	case err != nil:
		f.lack(err.Error(), cniCPU, cniMemory)
	default:
		f.add(cniCPU, plugin.Cores)
		f.add(cniMemory, plugin.WorkingSet.Mean)
	}
	if whole, err := groupTotal(summaries, groupCluster); err != nil {
		f.lack(err.Error(), memory)
	} else {
		f.add(memory, whole.WorkingSet.Mean)
	}
	return f
}

// groupTotal adds up a group over the machines. Each one's largest memory need
// not fall together with the others': their sum is an upper bound.
func groupTotal(summaries map[string]sample.Summary, name string) (sample.GroupSummary, error) {
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
