package cni

import (
	"fmt"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// Runs says whether a variant can run somewhere.
type Runs string

// The answers, best first. Unknown means that something that decides could not
// be found out.
const (
	RunsYes      Runs = "yes"
	RunsDegraded Runs = "degraded"
	RunsUnknown  Runs = "unknown"
	RunsNo       Runs = "no"
)

// Verdict is the answer for one entry, with what it rests on.
type Verdict struct {
	Variant string `json:"variant"`
	Version string `json:"version,omitempty"`
	Runs    Runs   `json:"runs"`
	// Because holds the reasons of the answer, and after them those that
	// weigh less. It is empty for a plain yes.
	Because []string `json:"because"`
	// Unchecked is what the entry asks for and cnibench cannot look at here.
	Unchecked []string `json:"unchecked"`
}

// Facts are what a check knows besides the nodes' kernels. The zero value
// knows nothing of a cluster.
type Facts struct {
	KubeProxy   string                  // iptables, nftables, none …; empty: unknown
	KubeVersion string                  // "v1.34.4"; empty: unknown
	Nodes       map[string]cluster.Node // by name; empty: there is no cluster
	Plugin      string                  // title of the plugin that is installed, if known
	PluginPorts []string                // that it uses: they are free once it is removed
	// Lacking names what a lab's supply does not have of an entry, images or
	// all of it; nil: it lacks nothing.
	Lacking func(Entry) []string
}

// Evaluate says whether an entry can run on nodes, by what was found on them.
// A trial decides before the kernel's configuration does. It is pure.
func Evaluate(e Entry, nodes map[string]kernel.Report, facts Facts) Verdict {
	f := &findings{}
	if e.Plugin.Excluded != "" {
		f.add(RunsNo, "", e.Plugin.Excluded)
	}
	f.cluster(e, facts)
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		r := nodes[name]
		f.release(name, e.Requires, r)
		f.features(name, e.Requires, r)
		f.options(name, e.Requires, r)
		f.modules(name, e.Requires, r)
		f.uplink(name, e.Requires, r)
		f.ports(name, e, r, facts)
	}
	if e.Requires.OneLink {
		f.oneLink(nodes, facts)
	}
	if len(nodes) == 0 && !e.None() {
		f.add(RunsUnknown, "", "no node was looked at")
	}
	f.unchecked = append(f.unchecked, e.Requires.Other...)
	runs, because := f.conclude(len(nodes))
	return Verdict{Variant: e.Name, Version: e.Version, Runs: runs, Because: because, Unchecked: append([]string{}, f.unchecked...)}
}

// cluster looks at what belongs to no node's kernel.
func (f *findings) cluster(e Entry, facts Facts) {
	switch {
	case facts.KubeProxy == "" && e.Services != "":
		f.unchecked = append(f.unchecked, "whether the cluster has a kube-proxy")
	case facts.KubeProxy != "":
		if missing := missingKubeProxy(e, facts.KubeProxy); missing != "" {
			f.add(RunsNo, "", missing)
		}
		if e.Services == "plugin" && facts.KubeProxy != "none" {
			f.add(RunsDegraded, "", "it carries Services itself, and kube-proxy ("+facts.KubeProxy+") does so too")
		}
	}
	f.kubernetes(e.Requires.Kubernetes, facts.KubeVersion)
	if e.Requires.PodCIDR == "node" {
		if len(facts.Nodes) == 0 {
			f.unchecked = append(f.unchecked, "whether nodes have a podCIDR")
		}
		for _, name := range slices.Sorted(maps.Keys(facts.Nodes)) {
			if facts.Nodes[name].PodCIDR == "" {
				f.add(RunsNo, name, "it has no spec.podCIDR: kube-controller-manager gives them with --allocate-node-cidrs")
			}
		}
	}
	if facts.Lacking != nil {
		for _, what := range facts.Lacking(e) {
			f.add(RunsNo, "", "not in this supply: "+what)
		}
	}
}

func (f *findings) kubernetes(least, have string) {
	if least == "" {
		return
	}
	if have == "" {
		f.unchecked = append(f.unchecked, "Kubernetes "+least+" or newer")
		return
	}
	want, wantErr := semver.NewVersion(least)
	got, gotErr := semver.NewVersion(have)
	switch {
	case wantErr != nil || gotErr != nil:
		f.add(RunsUnknown, "", fmt.Sprintf("Kubernetes %s cannot be compared with %s", have, least))
	case core(got).LessThan(core(want)):
		f.add(RunsNo, "", fmt.Sprintf("Kubernetes is %s, it needs %s", have, least))
	}
}

// core drops what distributions append: v1.34.4-gke.100 is 1.34.4 and not older.
func core(v *semver.Version) *semver.Version {
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
}

// missingKubeProxy says what is wrong if a plugin needs a kube-proxy that is
// not there.
func missingKubeProxy(e Entry, kubeProxy string) string {
	if e.Services == "kube-proxy" && kubeProxy == "none" {
		return e.Name + " does not replace kube-proxy, and the cluster has none"
	}
	return ""
}
