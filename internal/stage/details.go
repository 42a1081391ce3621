package stage

import (
	"slices"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// Groups of details, besides those that are parts of the busy CPU.
const (
	groupProcessors = "processors"
	groupMemory     = "memory"
	groupNetwork    = "network stack"
	groupEnergy     = "energy"
)

// Reasons for what a machine does not offer.
const (
	noEnergy   = "no energy counter (RAPL, /sys/class/powercap) can be read"
	noCycles   = "the processors' counters (perf_event) cannot be read"
	noLimit    = "the network namespace has no limit of connection tracking"
	notOffered = "the kernel does not offer it"
)

// detailMetric describes a detail, which is compared as a difference: it can
// be 0.
func detailMetric(group, name, unit string, margin float64, help string) result.Metric {
	return result.Metric{Name: name, Unit: unit, Better: result.Lower, Scale: result.Difference, Margin: margin, Help: help, Group: group}
}

// coreMargin is the smallest share of a core that matters, in cores: the
// kernel's ticks show no less in ten seconds.
const coreMargin = 0.02

// Details of the machines that are computed from more than one figure.
var (
	loadCPU = detailMetric(result.CPUByOwner, "load-cpu", "cores", coreMargin, "CPU of the load pods, the load generator's own share")
	nodeCPU = detailMetric(result.CPUByOwner, "node-cpu", "cores", coreMargin, "CPU of kubelet, container runtime and kube-proxy")
	restCPU = detailMetric(result.CPUByOwner, "rest-cpu", "cores", coreMargin,
		"busy CPU that is neither the load's, the plugin's pods' nor the nodes' programs': other programs, kernel threads, steal, and interrupts where the kernel accounts them by themselves")
	loadMemory = detailMetric(groupMemory, "load-memory", "bytes", 10<<20, "working set of the load pods")
	nodeMemory = detailMetric(groupMemory, "node-memory", "bytes", 10<<20, "working set of kubelet, container runtime and kube-proxy")

	energy = result.Metric{Name: "energy", Unit: "J", Better: result.Lower, Scale: result.Ratio, Margin: 0.05, Group: groupEnergy,
		Help: "energy of the CPU packages in the window, by RAPL; without memory, disks and network cards unless the package counts them"}
	EnergyPerGbit = result.Metric{Name: "energy-per-gbit", Unit: "J/Gbit", Better: result.Lower, Scale: result.Ratio, Margin: 0.05, Group: groupEnergy,
		Help: "energy of the CPU packages per payload"}
)

// detail is a figure of each kernel's summary, as a metric: the sum over the
// kernels, or the largest of them.
type detail struct {
	metric  result.Metric
	largest bool
	of      func(sample.Summary) (float64, bool)
	// figure is the name that [sample.Summary.Missing] has for it, and absent
	// the reason where that has none.
	figure, absent string
}

// modeDetail is a mode of the busy CPU.
func modeDetail(name, help string, of func(sample.Modes) float64) detail {
	return detail{
		metric: detailMetric(result.CPUByMode, name, "cores", coreMargin, help),
		of:     func(s sample.Summary) (float64, bool) { return of(s.Modes), true },
	}
}

// details are those that need nothing but the summaries.
var details = []detail{
	modeDetail("cpu-user", "busy CPU in user mode, nice included", func(m sample.Modes) float64 { return m.User + m.Nice }),
	modeDetail("cpu-system", "busy CPU in the kernel on behalf of programs and kernel threads", func(m sample.Modes) float64 { return m.System }),
	modeDetail("cpu-softirq", "busy CPU in softirq, where most of a datapath in the kernel runs; published benchmarks left it out",
		func(m sample.Modes) float64 { return m.SoftIRQ }),
	modeDetail("cpu-irq", "busy CPU in hardware interrupts", func(m sample.Modes) float64 { return m.IRQ }),
	modeDetail("cpu-steal", "time in which a hypervisor ran something else", func(m sample.Modes) float64 { return m.Steal }),
	{
		metric: detailMetric(groupProcessors, "busiest-core", "percent", 5, "share of the time that the busiest CPU was busy"), largest: true,
		figure: "busiestCore", of: func(s sample.Summary) (float64, bool) { return pointer(s.BusiestCore, 100) },
	},
	{
		metric: detailMetric(groupProcessors, "context-switches", "1/s", 1000, "context switches on all CPUs"),
		figure: "contextSwitches", of: func(s sample.Summary) (float64, bool) { return pointer(s.ContextSwitches, 1) },
	},
	{
		metric: detailMetric(groupProcessors, "probe-cpu", "cores", 0.005, "CPU that the sampling itself used; it is part of the busy CPU"),
		figure: "probeCores", of: func(s sample.Summary) (float64, bool) { return pointer(s.Probe, 1) },
	},
	{
		metric: detailMetric(groupProcessors, "cycles-per-packet", "cycles", 100,
			"cycles of all CPUs per packet that the network softirq handled; a packet counts at every hop, and all that the CPUs did counts"),
		figure: "hardware", absent: noCycles, largest: true, of: cyclesPerPacket,
	},
	{
		metric: detailMetric(groupMemory, "machine-memory", "bytes", 10<<20, "memory that is not available to programs, of the whole machine"),
		figure: "memoryBytes", of: func(s sample.Summary) (float64, bool) {
			if s.Memory == nil {
				return 0, false
			}
			return s.Memory.Used.Mean, true
		},
	},
	{
		metric: detailMetric(groupNetwork, "node-retransmits", "segments/s", 10,
			"TCP segments sent again by the nodes' own network stacks: of host-network load, of the cluster's programs and of proxies; pods have stacks of their own"),
		figure: "protocols/tcp/RetransSegs", of: func(s sample.Summary) (float64, bool) { return protocol(s, tcpRates, "RetransSegs") },
	},
	{
		metric: detailMetric(groupNetwork, "listen-drops", "1/s", 1, "connections that the nodes' own network stacks dropped because a listener's queue was full"),
		figure: "protocols/tcpExt/ListenDrops", of: func(s sample.Summary) (float64, bool) { return protocol(s, tcpExtRates, "ListenDrops") },
	},
	{
		metric: detailMetric(groupNetwork, "udp-buffer-errors", "1/s", 1, "datagrams over IPv4 that the nodes' own network stacks dropped because a socket's buffer was full, sending or receiving"),
		figure: "protocols/udp/RcvbufErrors", of: func(s sample.Summary) (float64, bool) {
			return protocol(s, udpRates, "RcvbufErrors", "SndbufErrors")
		},
	},
	{
		metric: detailMetric(groupNetwork, "softnet-drops", "1/s", 1, "packets dropped because a CPU's backlog was full"),
		figure: "softnet", of: func(s sample.Summary) (float64, bool) {
			return softnet(s, func(r sample.SoftnetRates) float64 { return r.Dropped })
		},
	},
	{
		metric: detailMetric(groupNetwork, "softnet-squeezes", "1/s", 10, "runs of the network softirq that were cut off with work left"),
		figure: "softnet", of: func(s sample.Summary) (float64, bool) {
			return softnet(s, func(r sample.SoftnetRates) float64 { return r.Squeezed })
		},
	},
	{
		metric: detailMetric(groupNetwork, "conntrack-entries", "connections", 100, "connections that the nodes' own network stacks track, mean"),
		figure: "conntrack", of: func(s sample.Summary) (float64, bool) {
			if s.Conntrack == nil {
				return 0, false
			}
			return s.Conntrack.Entries.Mean, true
		},
	},
	{
		metric: detailMetric(groupNetwork, "conntrack-fill", "percent", 1, "largest number of tracked connections, of those that fit into the table"), largest: true,
		figure: "conntrack", absent: noLimit, of: func(s sample.Summary) (float64, bool) {
			if s.Conntrack == nil || s.Conntrack.Limit == nil || *s.Conntrack.Limit == 0 {
				return 0, false
			}
			return 100 * s.Conntrack.Entries.Max / float64(*s.Conntrack.Limit), true
		},
	},
}

func pointer(v *float64, factor float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return factor * *v, true
}

func tcpRates(p sample.ProtocolRates) map[string]float64    { return p.TCP }
func tcpExtRates(p sample.ProtocolRates) map[string]float64 { return p.TCPExt }
func udpRates(p sample.ProtocolRates) map[string]float64    { return p.UDP }

// protocol adds up counters of one kind, which must all be there.
func protocol(s sample.Summary, of func(sample.ProtocolRates) map[string]float64, names ...string) (float64, bool) {
	if s.Protocols == nil {
		return 0, false
	}
	total := 0.0
	for _, name := range names {
		rate, ok := of(*s.Protocols)[name]
		if !ok {
			return 0, false
		}
		total += rate
	}
	return total, true
}

func softnet(s sample.Summary, of func(sample.SoftnetRates) float64) (float64, bool) {
	if s.Softnet == nil {
		return 0, false
	}
	return of(*s.Softnet), true
}

func cyclesPerPacket(s sample.Summary) (float64, bool) {
	if s.Hardware == nil || s.Softnet == nil || s.Softnet.Processed <= 0 {
		return 0, false
	}
	return s.Hardware.Cycles / s.Softnet.Processed, true
}

// total is the detail of all kernels; where one lacks it, why.
func (d detail) total(ms Machines) (value float64, missing string) {
	for _, node := range ms.nodes() {
		s := ms.Summaries[node]
		v, ok := d.of(s)
		if !ok {
			return 0, lackOf(s, node, d.figure, d.absent)
		}
		if d.largest {
			value = max(value, v)
		} else {
			value += v
		}
	}
	return value, ""
}

// lackOf says why a summary has no figure: what spoilt it, or that there is
// none.
func lackOf(s sample.Summary, node, figure, absent string) string {
	if reason, spoilt := s.Missing[figure]; spoilt {
		return node + ": " + reason
	}
	if absent == "" {
		return notOffered
	}
	return absent
}

// detailFigures are the details of machines, without those of their groups.
func detailFigures(ms Machines) Figures {
	var f Figures
	for _, d := range details {
		if v, missing := d.total(ms); missing != "" {
			f.Lack(missing, d.metric)
		} else {
			f.Add(d.metric, v)
		}
	}
	if power, missing := watts(ms); missing != "" {
		f.Lack(missing, energy)
	} else {
		f.Add(energy, power*ms.seconds())
	}
	return f
}

// watts is the power of all CPU packages of all machines.
func watts(ms Machines) (total float64, missing string) {
	for _, node := range ms.nodes() {
		s := ms.Summaries[node]
		if len(s.Power) == 0 {
			return 0, lackOf(s, node, "powerWatts", noEnergy)
		}
		for _, w := range s.Power {
			total += w
		}
	}
	return total, ""
}

// energyFigures are the energy per throughput, which is above 0.
func energyFigures(bitsPerSecond float64, ms Machines) Figures {
	var f Figures
	if power, missing := watts(ms); missing != "" {
		f.Lack(missing, EnergyPerGbit)
	} else {
		f.Add(EnergyPerGbit, power/(bitsPerSecond/1e9))
	}
	return f
}

// nodePrograms are the groups of a node's own programs.
var nodePrograms = []string{"kubelet", "runtime", "kube-proxy"}

// ownerFigures split the busy CPU and the memory by who used them. Groups that
// a node does not have, such as that of a kube-proxy that is a pod, are nobody's
// share.
func ownerFigures(ms Machines, hasAgents bool) Figures {
	var f Figures
	load, err := GroupTotal(ms.Summaries, GroupLoad)
	if err != nil {
		f.Lack(err.Error(), loadCPU, loadMemory, restCPU)
	} else {
		f.Add(loadCPU, load.Cores)
		f.Add(loadMemory, load.WorkingSet.Mean)
	}
	var programs sample.GroupSummary
	var reason string
	for _, name := range nodePrograms {
		if !slices.ContainsFunc(ms.nodes(), func(node string) bool { _, ok := ms.Summaries[node].Groups[name]; return ok }) {
			continue
		}
		g, err := GroupTotal(ms.Summaries, name)
		if err != nil {
			reason = err.Error()
			break
		}
		programs = addGroups(programs, g)
	}
	if reason != "" {
		f.Lack(reason, nodeCPU, nodeMemory, restCPU)
		return f
	}
	f.Add(nodeCPU, programs.Cores)
	f.Add(nodeMemory, programs.WorkingSet.Mean)
	var plugin sample.GroupSummary
	if hasAgents {
		if plugin, err = GroupTotal(ms.Summaries, GroupCNI); err != nil {
			f.Lack(err.Error(), restCPU)
		}
	}
	if _, lacks := f.Missing[restCPU.Name]; !lacks {
		f.Add(restCPU, ms.TotalBusy()-load.Cores-plugin.Cores-programs.Cores)
	}
	return f
}

// ownerMetrics are those that need control groups.
var ownerMetrics = []result.Metric{loadCPU, nodeCPU, restCPU, loadMemory, nodeMemory}

// DetailMetrics are all that are reported of machines besides cpu, but for
// EnergyPerGbit, which needs a throughput.
func DetailMetrics() []result.Metric {
	var all []result.Metric
	for _, d := range details {
		all = append(all, d.metric)
	}
	return slices.Concat(all, []result.Metric{energy}, ownerMetrics)
}
