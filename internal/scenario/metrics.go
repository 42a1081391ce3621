package scenario

import (
	"fmt"

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

// machineValues are what every scenario reports of the machines, one summary
// per kernel.
func machineValues(summaries map[string]sample.Summary) ([]result.Value, []result.Mark) {
	var busy, cores float64
	for _, s := range summaries {
		busy += s.Busy
		cores += float64(s.Cores)
	}
	var marks []result.Mark
	if busy > saturation*cores {
		marks = append(marks, result.Mark{Name: markSaturated, Detail: fmt.Sprintf("%.2f of %.0f cores were busy", busy, cores)})
	}
	return []result.Value{{Metric: cpu, Value: busy}}, marks
}

// resourceValues adds what runs on the machines. A variant without pods of its
// own uses nothing: a true zero.
func resourceValues(summaries map[string]sample.Summary, hasAgents bool) ([]result.Value, []result.Mark, error) {
	var agents, agentMemory, clusterMemory float64
	for node, s := range summaries {
		whole, err := group(s, node, groupCluster)
		if err != nil {
			return nil, nil, err
		}
		clusterMemory += whole.WorkingSet.Mean
		if !hasAgents {
			continue
		}
		plugin, err := group(s, node, groupCNI)
		if err != nil {
			return nil, nil, err
		}
		agents += plugin.Cores
		agentMemory += plugin.WorkingSet.Mean
	}
	values, marks := machineValues(summaries)
	return append(values, result.Value{Metric: cniCPU, Value: agents},
		result.Value{Metric: cniMemory, Value: agentMemory}, result.Value{Metric: memory, Value: clusterMemory}), marks, nil
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

// summarize cuts every series to the window.
func summarize(all map[string]sample.Series, w sample.Window) (map[string]sample.Summary, error) {
	summaries := map[string]sample.Summary{}
	for node, series := range all {
		s, err := sample.Summarize(series, w.Start, w.End)
		if err != nil {
			return nil, fmt.Errorf("the probe on %s: %w", node, err)
		}
		summaries[node] = s
	}
	return summaries, nil
}
