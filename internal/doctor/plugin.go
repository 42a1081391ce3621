package doctor

import (
	"fmt"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/prose"
)

const (
	mostRules = 5000
	tableHigh = 0.8 // from which published tuning advice enlarges a map
	tableFull = 0.95
)

var pluginChecks = []Check{
	{
		ID: "cni.agents", Title: "the plugin's agents are ready", Worst: Unfit, Kinds: clusters, judge: agentsReady,
		Why: "an agent that is not ready programs no routes, policies and Services on its node",
	},
	{
		ID: "cni.restarts", Title: "agents have not restarted", Worst: Warning, Kinds: clusters, judge: agentRestarts,
		Why: "a restart interrupts the datapath or its control, and costs CPU; one during a trial makes it fail",
	},
	{
		ID: "cni.limits", Title: "agents have no CPU limit", Worst: Warning, Kinds: clusters, judge: agentLimits,
		Why: "an agent that is throttled programs slowly and, where it forwards itself, caps throughput",
	},
	{
		ID: "cni.drops", Title: "agents drop nothing", Worst: Warning, Kinds: clusters, judge: agentDrops,
		Why: "packets that the plugin drops are connections refused, timeouts and retransmits in the test",
	},
	{
		ID: "cni.maps", Title: "the plugin's tables have room", Worst: Unfit, Kinds: clusters, judge: tables,
		Why: "when a map of connections, NAT or policies is full, packets are dropped",
	},
	{
		ID: "proxy.rules", Title: "few rules in iptables", Worst: Warning, Kinds: clusters, judge: eachNode(rules),
		Why: "iptables walks its rules one after the other: thousands of them cost CPU with every new connection",
	},
	{
		ID: "features.unneeded", Title: "no feature is on that nothing needs", Worst: Info, Kinds: clusters, judge: unneeded,
		Why: "each feature costs CPU per packet or memory per node",
	},
}

// agents lists the plugin's pods, or why there are none to judge.
func (s Snapshot) agents() (agents []Pod, why string) {
	if why := firstReason(s.Missing[PartPlugin], s.Missing[PartPods]); why != "" {
		return nil, why
	}
	for _, p := range s.Pods {
		if p.Agent {
			agents = append(agents, p)
		}
	}
	if len(agents) == 0 {
		return nil, "no plugin of the catalog was recognised by its DaemonSet"
	}
	return agents, ""
}

// eachAgent judges agents and says it once where all are fine.
func eachAgent(judge func(Pod) (Finding, bool), fine string) func(Snapshot) []Finding {
	return func(s Snapshot) []Finding {
		agents, why := s.agents()
		if why != "" {
			return []Finding{unknown("", why)}
		}
		var findings []Finding
		for _, p := range agents {
			if f, wrong := judge(p); wrong {
				f.Where = p.At()
				findings = append(findings, f)
			}
		}
		if len(findings) == 0 {
			return []Finding{ok("", "%s: %s", prose.Plural(len(agents), "pod"), fine)}
		}
		return findings
	}
}

var agentsReady = eachAgent(func(p Pod) (Finding, bool) {
	return found(Unfit, "", "not ready: "+firstReason(p.State, "its status does not say why"),
		fmt.Sprintf("kubectl -n %s describe pod %s; kubectl -n %s logs %s --all-containers", p.Namespace, p.Name, p.Namespace, p.Name)), !p.Ready
}, "all ready")

var agentRestarts = eachAgent(func(p Pod) (Finding, bool) {
	seen := prose.Plural(p.Restarts, "restart")
	if p.LastReason != "" {
		seen += ", the last container ended with " + p.LastReason
	}
	if !p.LastRestart.IsZero() {
		seen += ", at " + p.LastRestart.UTC().Format(time.RFC3339)
	}
	return found(Warning, "", seen, fmt.Sprintf("kubectl -n %s logs %s --previous", p.Namespace, p.Name)), p.Restarts > 0
}, "no restarts")

var agentLimits = eachAgent(func(p Pod) (Finding, bool) {
	return found(Warning, "", "CPU limit "+p.CPULimit, "raise or remove resources.limits.cpu in the plugin's DaemonSet or chart values"), p.CPULimit != ""
}, "no CPU limits")

func agentDrops(s Snapshot) []Finding {
	if _, why := s.agents(); why != "" {
		return []Finding{unknown("", why)}
	}
	var findings []Finding
	for _, pod := range sortedKeys(s.Plugin.Drops) {
		lines := s.Plugin.Drops[pod]
		if len(lines) > 0 {
			findings = append(findings, found(Warning, pod, fmt.Sprintf("%s of its log speak of drops; the last: %s", prose.Plural(len(lines), "line"), lines[len(lines)-1]),
				"read them: kubectl logs; with Cilium: cilium monitor --type drop; allow the test's traffic in the policies named there"))
		}
	}
	var counted []string
	for _, reason := range sortedKeys(s.Plugin.Dropped) {
		if n := s.Plugin.Dropped[reason]; n > 0 {
			counted = append(counted, fmt.Sprintf("%s: %.0f", reason, n))
		}
	}
	if len(counted) > 0 {
		findings = append(findings, found(Warning, "", "agents counted dropped packets while nothing was measured: "+some(counted), "find whose packets: `cilium monitor --type drop`, `calicoctl`, the plugin's metrics"))
	}
	if why := s.Missing[PartLogs]; why != "" {
		findings = append(findings, unknown("logs", why))
	} else if len(findings) == 0 {
		findings = append(findings, ok("logs", "no line speaks of drops"))
	}
	if s.Plugin.Dropped == nil {
		return append(findings, unknown("counters", firstReason(s.Plugin.DroppedAbsent, s.Missing[PartCounters])))
	}
	if len(counted) == 0 {
		findings = append(findings, ok("counters", "no packet was dropped while nothing was measured"))
	}
	return findings
}

func tables(s Snapshot) []Finding {
	findings := []Finding{fullestTable(s)}
	for _, where := range sortedKeys(s.Plugin.TablesUnread) {
		findings = append(findings, unknown(where, s.Plugin.TablesUnread[where]))
	}
	return findings
}

func fullestTable(s Snapshot) Finding {
	if len(s.Plugin.Tables) == 0 {
		return unknown("", firstReason(s.Missing[PartPlugin], s.Plugin.TablesAbsent, s.Missing[PartCounters]))
	}
	fullest, share := "", -1.0
	for _, name := range sortedKeys(s.Plugin.Tables) {
		if s.Plugin.Tables[name] > share {
			fullest, share = name, s.Plugin.Tables[name]
		}
	}
	seen := fmt.Sprintf("the fullest of %d is %s, %.1f %% full", len(s.Plugin.Tables), fullest, 100*share)
	const fix = "enlarge it; with Cilium: bpf.ctTcpMax, bpf.natMax, bpf.policyMapMax or bpf.mapDynamicSizeRatio; with Calico: bpfMapSizeConntrack"
	switch {
	case share >= tableFull:
		return found(Unfit, "", seen, fix)
	case share >= tableHigh:
		return found(Warning, "", seen, fix)
	}
	return ok("", "%s", seen)
}

func rules(_ Snapshot, n Node) Finding {
	if why := n.vital("rules"); why != "" {
		return unknown("", why)
	}
	total := 0
	var all []string
	for _, owner := range sortedKeys(n.Vitals.Rules) {
		total += n.Vitals.Rules[owner]
		all = append(all, fmt.Sprintf("%s %d", owner, n.Vitals.Rules[owner]))
	}
	seen := fmt.Sprintf("%d rules", total)
	if total > 0 {
		seen += ": " + strings.Join(all, ", ")
	}
	if total > mostRules {
		return found(Warning, "", seen, "use kube-proxy in nftables mode, or a plugin that carries Services and policies in eBPF (Cilium, Calico's eBPF dataplane); remove policies and Services that nobody needs")
	}
	return ok("", "%s", seen)
}
