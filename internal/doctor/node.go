package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/prose"
)

// recent is how old a complaint of the kernel may be to be worth a warning.
const recent = 24 * time.Hour

var nodeChecks = []Check{
	{
		ID: "machine.lab", Title: "what labs need", Worst: Unfit, Kinds: onMachine, judge: oneFinding(labMachine),
		Why: "without it no lab starts",
	},
	{
		ID: "nodes.ready", Title: "nodes are ready", Worst: Unfit, Kinds: clusters, judge: nodesReady,
		Why: "a node that is not ready gets no pods, and what runs on it may be evicted in the middle of a trial",
	},
	{
		ID: "nodes.versions", Title: "one version of kubelet, runtime, kernel and system on all nodes", Worst: Warning, Kinds: clusters, judge: versions,
		Why: "results of nodes with different kernels are results of different datapaths",
	},
	{
		ID: "kernel.log", Title: "the kernel does not complain", Worst: Warning, Kinds: everywhere, judge: eachNode(kernelLog),
		Why: "full tables, hung queues, links that go down and memory that runs out show here first",
	},
}

func labMachine(s Snapshot) Finding {
	switch a := s.LabMachine; {
	case a == nil:
		return unknown("", "nobody looked")
	case !a.Done:
		return found(Unfit, "", a.Why, a.Fix)
	default:
		return ok("", "%s", a.What)
	}
}

func nodesReady(s Snapshot) []Finding {
	if len(s.Nodes) == 0 {
		return []Finding{unknown("", "the cluster shows no nodes")}
	}
	var findings []Finding
	for _, n := range s.Nodes {
		bad := Warning
		if n.Load {
			bad = Unfit
		}
		switch {
		case !n.Ready:
			findings = append(findings, found(bad, n.Name, "not ready: "+firstReason(n.Message, "no message"), "kubectl describe node "+n.Name))
		case len(n.Pressures) > 0:
			findings = append(findings, found(bad, n.Name, strings.Join(n.Pressures, ", "), "free memory, disk or processes on "+n.Name))
		}
	}
	if len(findings) == 0 {
		return []Finding{ok("", "%s", prose.Plural(len(s.Nodes), "node"))}
	}
	return findings
}

func versions(s Snapshot) []Finding {
	if len(s.Nodes) == 0 {
		return []Finding{unknown("", "the cluster shows no nodes")}
	}
	var findings []Finding
	var same []string
	for _, what := range []struct {
		name string
		of   func(Node) string
	}{
		{"kubelet", func(n Node) string { return n.Kubelet }}, {"runtime", func(n Node) string { return n.Runtime }},
		{"kernel", func(n Node) string { return n.Kernel }}, {"system", func(n Node) string { return n.OS }},
	} {
		by := map[string][]string{}
		for _, n := range s.Nodes {
			by[what.of(n)] = append(by[what.of(n)], n.Name)
		}
		var all []string
		for _, v := range slices.Sorted(maps.Keys(by)) {
			all = append(all, fmt.Sprintf("%s (%s)", firstReason(v, "not told"), some(by[v])))
		}
		switch {
		case len(by) > 1:
			findings = append(findings, found(Warning, "", what.name+": "+strings.Join(all, ", "), "upgrade the older nodes, or name two equal ones in the campaign: nodes: {client, server}"))
		case by[""] != nil:
			findings = append(findings, unknown("", what.name+": the nodes do not tell"))
		default:
			same = append(same, what.name+" "+what.of(s.Nodes[0]))
		}
	}
	if len(same) > 0 {
		findings = append(findings, ok("", "%s", strings.Join(same, ", ")))
	}
	return append(findings, kubeletSkew(s)...)
}

// kubeletSkew finds kubelets of another minor version than the API server.
func kubeletSkew(s Snapshot) []Finding {
	var findings []Finding
	for _, n := range s.Nodes {
		if n.Kubelet != "" && s.Kubernetes != "" && minor(n.Kubelet) != minor(s.Kubernetes) {
			findings = append(findings, found(Warning, n.Name, fmt.Sprintf("kubelet %s, API server %s", n.Kubelet, s.Kubernetes), "finish the upgrade of the cluster"))
		}
	}
	return findings
}

// minor is the version up to its second number.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

func kernelLog(_ Snapshot, n Node) Finding {
	if why := n.vital("log"); why != "" {
		return unknown("", why)
	}
	counts := map[string]int{}
	last := ""
	for _, c := range n.Vitals.Complaints {
		if c.At > 0 && n.Vitals.Uptime > 0 && n.Vitals.Uptime-c.At > recent {
			continue
		}
		counts[c.About]++
		last = c.Text
	}
	if len(counts) == 0 {
		return ok("", "nothing of networks, memory, CPUs or clocks")
	}
	return found(Warning, "", fmt.Sprintf("%s; the last line: %s", some(sortedKeys(counts)), last), "on the node: dmesg --ctime --level=err,warn")
}
