package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Metrics of many Services.
var (
	programmingTime = result.Metric{Name: "programming-time", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the API call that makes one more Service until it carries connections from the client, median of the repeats"}
	programmingTimeMax = result.Metric{Name: "programming-time-max", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.20,
		Help: "the longest of these times"}
	removalTime = result.Metric{Name: "removal-time", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the API call that removes that Service until it carries connections no more, median of the repeats"}
	servicesProgrammed = result.Metric{Name: "programming-time-all", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call until one more Service, made when the API has all, carries connections from the client"}
	servicesCreated = result.Metric{Name: "services-created", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call until the API has all Services"}
	servicesRemoved = result.Metric{Name: "removal-time-all", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.10,
		Help: "from the first API call that removes Services until the last one carries connections no more"}

	settlingCPU = result.Metric{Name: "settling-cpu", Unit: "s", Better: result.Lower, Scale: result.Ratio, Margin: 0.05,
		Help: "busy CPU time of the machines while all Services are made, until that one carries connections; the API server's and its controllers' in the lab, too"}
	settlingProxyCPU = result.Metric{Name: "settling-proxy-cpu", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "CPU time of all nodes' kube-proxies in that time; what the kernel does for them in other processes is not in it"}
	settlingProxyMemory = result.Metric{Name: "settling-proxy-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "largest working set of all nodes' kube-proxies in that time"}
	settlingCNICPU = result.Metric{Name: "settling-cni-cpu", Unit: "s", Better: result.Lower, Scale: result.Difference, Margin: 0.1,
		Help: "CPU time of the plugin's own pods in that time"}
	settlingCNIMemory = result.Metric{Name: "settling-cni-memory", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 << 20,
		Help: "largest working set of the plugin's own pods in that time"}

	settlingMetrics = []result.Metric{settlingCPU, settlingProxyCPU, settlingProxyMemory, settlingCNICPU, settlingCNIMemory}
)

// groupProxy is the group of kube-proxy, as clusters name it.
const groupProxy = "kube-proxy"

// settlingFigures are the times of making all Services, and what it cost.
func (s *serviceScaling) settlingFigures(t settling, ms stage.Machines) stage.Figures {
	var f stage.Figures
	f.Add(servicesProgrammed, t.Carried.Sub(t.Begun).Seconds())
	f.Add(servicesCreated, t.Created.Sub(t.Begun).Seconds())
	if ms.Unknown != "" {
		f.Lack(ms.Unknown, settlingMetrics...)
		return f
	}
	took := t.window().Duration().Seconds()
	f.Add(settlingCPU, ms.TotalBusy()*took)
	unattributed := s.Unattributed()
	f.Merge(groupCost(ms, groupProxy, s.Cluster.KubeProxy() != "none", unattributed, took, settlingProxyCPU, settlingProxyMemory))
	f.Merge(groupCost(ms, stage.GroupCNI, len(s.Entry.Agents) > 0, unattributed, took, settlingCNICPU, settlingCNIMemory))
	return f
}

// groupCost is what a group of processes used in so many seconds. One that is
// not there uses nothing: a true zero.
func groupCost(ms stage.Machines, group string, exists bool, unattributed string, seconds float64, cpu, memory result.Metric) stage.Figures {
	var f stage.Figures
	total, err := stage.GroupTotal(ms.Summaries, group)
	switch {
	case !exists:
		f.Add(cpu, 0)
		f.Add(memory, 0)
	case unattributed != "":
		f.Lack(unattributed, cpu, memory)
	case err != nil:
		f.Lack(err.Error(), cpu, memory)
	default:
		f.Add(cpu, total.Cores*seconds)
		f.Add(memory, total.WorkingSet.Max)
	}
	return f
}

// repeatFigures are the times of one more Service.
func repeatFigures(repeats []serviceRepeat) stage.Figures {
	var f stage.Figures
	var carried, gone []float64
	for _, r := range repeats {
		carried = append(carried, r.Carried.Sub(r.Created.Begun).Seconds())
		gone = append(gone, r.Gone.Sub(r.Deleted.Begun).Seconds())
	}
	f.Add(programmingTime, middleOf(carried))
	f.Add(programmingTimeMax, slices.Max(carried))
	f.Add(removalTime, middleOf(gone))
	return f
}

// middleOf is the median; of an even number the lower of the two in the
// middle, so that it is a time that was measured.
func middleOf[T cmp.Ordered](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// facts are what a reader must know of the times.
func (t settling) facts(services, repeats int) map[string]string {
	return map[string]string{
		"endpoint slices": fmt.Sprintf("%d, all of them seen %s after the first API call", services, t.Sliced.Sub(t.Begun).Round(10*time.Millisecond)),
		"repeats":         fmt.Sprint(repeats),
		"clock":           t.Clock.String(),
	}
}

// streamFigures are those of the TCP stream alone: what the machines did is
// told of the connections.
func streamFigures(m stage.Measurement) stage.Figures {
	of := []string{throughput.Name, retransmits.Name, rtt.Name}
	f := stage.Figures{Missing: map[string]string{}}
	for _, v := range m.Values {
		if slices.Contains(of, v.Name) {
			f.Values = append(f.Values, v)
		}
	}
	for _, name := range of {
		if why, lacks := m.Missing[name]; lacks {
			f.Missing[name] = why
		}
	}
	for _, k := range m.Marks {
		k.Detail = "TCP stream: " + k.Detail
		f.Marks = append(f.Marks, k)
	}
	return f
}

// streamFacts are those of the stream that the connections have not.
func streamFacts(facts map[string]string) map[string]string {
	kept := map[string]string{}
	for _, name := range []string{"mss", "path MTU", "bytes counted at", "address"} {
		if is, ok := facts[name]; ok {
			kept["stream "+name] = is
		}
	}
	return kept
}

// coverage says through how many Services connections were made: they take
// them in turn.
func coverage(services, sent, answered int) string {
	switch {
	case sent < services:
		return fmt.Sprintf("%d of %d were tried, one connection each: there was no time for more", sent, services)
	case answered < sent:
		return fmt.Sprintf("all %d, in turn; %d connections of %d had no answer", services, sent-answered, sent)
	}
	return fmt.Sprintf("all %d, in turn; each answered", services)
}

// carrier says who carries Services in a mode of kube-proxy.
func carrier(mode string) string {
	if mode == "none" {
		return "the plugin"
	}
	return "kube-proxy (" + mode + ")"
}
