package doctor

import (
	"fmt"
	"strings"
)

// From which share of the machine's CPUs on others' use is worth a warning.
// Methodology: foreign CPU and steal make single blocks invalid, too.
const (
	mostSteal   = 0.01
	mostForeign = 0.10
	mostAgents  = 0.5 // cores of one node's agents while nothing is measured
)

var cpuChecks = []Check{
	{
		ID: "cpu.governor", Title: "CPUs keep their frequency", Worst: Warning, Kinds: everywhere, judge: eachNode(governor),
		Why: "a governor that saves power changes the CPUs' speed with the load: the same datapath gives other figures from run to run",
	},
	{
		ID: "cpu.turbo", Title: "turbo is off", Worst: Info, Kinds: everywhere, judge: eachNode(turbo),
		Why: "with turbo the speed depends on temperature and on how many cores work; blocks of one campaign spread more",
	},
	{
		ID: "cpu.smt", Title: "simultaneous multithreading", Worst: Info, Kinds: everywhere, judge: eachNode(multithreading),
		Why: "two threads on one core slow each other down: a busy half of the CPUs is more than half of the machine",
	},
	{
		ID: "cpu.numa", Title: "the card and its interrupts are on one NUMA node", Worst: Warning, Kinds: onCluster, judge: eachNode(numa),
		Why: "packets that cross from one memory node to another take longer, and whether they do changes from run to run",
	},
	{
		ID: "cpu.steal", Title: "no CPU is stolen", Worst: Warning, Kinds: everywhere, judge: eachIdle(steal),
		Why: "time in which a hypervisor runs somebody else is missing from every figure and changes with the neighbours",
	},
	{
		ID: "cpu.foreign", Title: "the machine is idle before the load", Worst: Warning, Kinds: everywhere, judge: eachIdle(foreignCPU),
		Why: "other programs take CPU from the datapath, at times of their own: results differ between runs",
	},
	{
		ID: "cni.cpu", Title: "the plugin's agents are idle without load", Worst: Warning, Kinds: clusters, judge: eachIdle(agentsCPU),
		Why: "agents that work without load (resyncing, tracing every packet, crash loops) take CPU from what is measured",
	},
}

func governor(_ Snapshot, n Node) Finding {
	value, missing := n.fact("cpu.governor")
	switch {
	case missing != "":
		return unknown("", missing)
	case value != "performance":
		return found(Warning, "", "scaling_governor is "+value, "on the node: cpupower frequency-set -g performance")
	}
	return ok("", "performance")
}

func turbo(_ Snapshot, n Node) Finding {
	value, missing := n.fact("cpu.turbo")
	switch {
	case missing != "":
		return unknown("", missing)
	case value != "off":
		return found(Info, "", "turbo is "+value, "on the node: echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo (or echo 0 > /sys/devices/system/cpu/cpufreq/boost)")
	}
	return ok("", "off")
}

func multithreading(_ Snapshot, n Node) Finding {
	value, missing := n.fact("cpu.smt")
	switch {
	case missing != "":
		return unknown("", missing)
	case value == "on":
		return found(Info, "", "SMT is on", "for steadier figures, on the node: echo off > /sys/devices/system/cpu/smt/control")
	}
	switch value {
	case "notsupported":
		value = "the CPUs have no SMT"
	case "off", "forceoff":
		value = "SMT is off"
	default:
		value = "SMT: " + value
	}
	return ok("", "%s", value)
}

func numa(_ Snapshot, n Node) Finding {
	layout, missing := n.fact("cpu.numa")
	if missing != "" {
		return unknown("", missing)
	}
	nodes := strings.Split(layout, "; ")
	if len(nodes) == 1 {
		return ok("", "one memory node")
	}
	near, missing := n.fact("uplink.numa")
	if missing != "" {
		return unknown("", fmt.Sprintf("%d memory nodes, and of the card it is not known which is near: %s", len(nodes), missing))
	}
	irqs, missing := n.fact("uplink.irq.cpus")
	if missing != "" {
		return unknown("", "where the card's interrupts go: "+missing)
	}
	local := ""
	for _, node := range nodes {
		if id, cpus, _ := strings.Cut(node, ": "); id == near {
			local = cpus
		}
	}
	if outside := notWithin(cpusIn(irqs), cpusIn(local)); len(outside) > 0 {
		return found(Warning, "", fmt.Sprintf("the card is at memory node %s (CPUs %s), its interrupts go to %s", near, local, irqs),
			fmt.Sprintf("on the node: for i in /sys/class/net/UPLINK/device/msi_irqs/*; do echo %s > /proc/irq/${i##*/}/smp_affinity_list; done, and cpus: in the campaign to pin the load", local))
	}
	return ok("", "the card and its interrupts are at memory node %s", near)
}

// eachIdle judges each kernel's idle time.
func eachIdle(judge func(Snapshot, Idle) Finding) func(Snapshot) []Finding {
	return func(s Snapshot) []Finding {
		if len(s.Idle) == 0 {
			return []Finding{unknown("", firstReason(s.Missing[PartIdle], "the machines were not watched"))}
		}
		var findings []Finding
		for _, name := range sortedKeys(s.Idle) {
			f := judge(s, s.Idle[name])
			f.Where = name
			findings = append(findings, f)
		}
		return findings
	}
}

func steal(_ Snapshot, i Idle) Finding {
	share, known := shareOf(i.Steal, i.Cores)
	switch {
	case !known:
		return unknown("", "the number of CPUs is not known")
	case share > mostSteal:
		return found(Warning, "", fmt.Sprintf("%.1f %% of the CPU time of %.0f s was stolen", 100*share, i.Window.Seconds()),
			"use dedicated machines or instances without shared CPUs")
	}
	return ok("", "%.1f %% in %.0f s", 100*share, i.Window.Seconds())
}

func foreignCPU(s Snapshot, i Idle) Finding {
	share, known := shareOf(i.Busy, i.Cores)
	tools := "`top`"
	if s.Kind != Machine {
		tools += " and `kubectl top pods -A --sort-by=cpu`"
	}
	switch {
	case !known:
		return unknown("", "the number of CPUs is not known")
	case share > mostForeign:
		return found(Warning, "", fmt.Sprintf("%.2f of %d CPUs were busy for %.0f s, and nothing was measured", i.Busy, i.Cores, i.Window.Seconds()),
			"look for them with "+tools+", end or move them, or measure at a quieter time")
	}
	return ok("", "%.2f of %d CPUs busy in %.0f s", i.Busy, i.Cores, i.Window.Seconds())
}

func agentsCPU(_ Snapshot, i Idle) Finding {
	switch {
	case i.Agents == nil:
		return unknown("", "the CPU of the plugin's pods is not known: their control groups cannot be seen, or no plugin was recognised")
	case *i.Agents > mostAgents:
		return found(Warning, "", fmt.Sprintf("the plugin's pods used %.2f cores for %.0f s without load", *i.Agents, i.Window.Seconds()),
			"read their logs; with Cilium: `cilium monitor` off, monitorAggregation medium, no Hubble metrics that nobody reads")
	}
	return ok("", "%.3f cores in %.0f s", *i.Agents, i.Window.Seconds())
}

func shareOf(cores float64, of int) (float64, bool) {
	if of <= 0 || cores != cores {
		return 0, false
	}
	return cores / float64(of), true
}
