package report

import (
	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
)

// scope says in plain words what the results may be used for.
type scope struct {
	Intro    string
	May, Not []string
}

// conclusions depends on where the variants ran and on whether every block had
// clusters of its own.
func conclusions(a analysis.Analysis) scope {
	var s scope
	if a.Plan.Imported != nil {
		return importedScope(a.Plan)
	}
	if a.Topology == "lab" || a.Plan.Cluster.Lab != nil {
		s = labScope()
	} else {
		s = clusterScope()
	}
	switch {
	case a.Plan.FreshCluster:
		s.May = append(s.May, "Expecting the same on a new installation: every block measured every variant on a newly created cluster, so the intervals contain what differs from one installation to the next.")
	case installsEachTurn(a.Plan):
		s.May = append(s.May, "Expecting the same on a new installation on this cluster: every block installed every variant anew, so the intervals contain what differs from one installation to the next.")
	default:
		s.Not = append(s.Not, "Results hold within one installation. Each variant was installed once; how much a second installation would differ is not in the intervals.")
	}
	s.Not = append(s.Not,
		"An inconclusive comparison does not show that two variants are the same; only equivalent does, and only within its margin.",
		"Exploratory comparisons are not adjusted for their number. Among many of them some look clear by chance: take them as questions for the next campaign.")
	return s
}

// installsEachTurn tells whether variants took turns on one cluster, for which
// each has to be installed and removed.
func installsEachTurn(p plan.Plan) bool {
	return p.Shared() && (p.Cluster.Existing == nil || p.Cluster.Existing.AllowCNIChange)
}

func labScope() scope {
	return scope{
		Intro: "All nodes of this cluster were namespaces on one machine. That makes the comparison fair, since every variant met the same kernel and the same cores within the same block, and it limits what it can say.",
		May: []string{
			"Comparing datapaths on this kernel: which variant needs more CPU for the same traffic, and which moves more traffic with the same cores.",
			"Comparing the cost of a feature of one CNI, such as encapsulation or kube-proxy replacement, with everything else equal.",
			"Finding a regression between two versions or two configurations.",
		},
		Not: []string{
			"Line rate. Nodes share one kernel and its cores, and the wire is a veth pair and a bridge: no network card takes part. Throughput here is what the cores can push, with client and server competing for them.",
			"Offloads of network cards. Segmentation and checksum offloads cross the virtual wire unexecuted: packets far above the MTU travel in one piece, which no cable carries. Encapsulation may look cheaper or dearer than with real hardware.",
			"CPU of one node. CPU is the machine's, both ends and the load generator together. It is good for relative cost, not for sizing a node.",
			"Latency across a data centre. The round trip has no cable and no switch in it.",
			"Other kernels and processors. Another kernel may order the variants differently.",
		},
	}
}

func clusterScope() scope {
	return scope{
		Intro: "The variants ran on an existing cluster.",
		May:   []string{"Comparing the variants on this cluster: its nodes, kernel, network cards and versions, as the environment section records them."},
		Not:   []string{"Other clusters. Kernel, network cards, offloads and MTU decide much of a datapath's speed."},
	}
}

func importedScope(p plan.Plan) scope {
	s := scope{
		Intro: "Another program measured. What it recorded was read, and nothing that it did not record was made up.",
		May:   []string{"Reading again, with intervals and tests, what was published or kept."},
		Not: []string{
			"Anything about the machines, the versions and the load that the source does not say.",
			"An inconclusive comparison does not show that two variants are the same; only equivalent does, and only within its margin.",
		},
	}
	if p.Unpaired() {
		s.Not = append(s.Not, "Differences between variants that drifted apart. Nothing says that variants took turns: whatever changed while one after the other was measured is in their difference, and no test can take it out.")
	}
	return s
}
