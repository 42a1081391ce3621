package cni

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/nodestate"
)

// onNodes is the part of the leftovers that lies on nodes themselves. Routes to
// pods are always the plugin's.
func (l Leftovers) onNodes(podCIDR string) nodestate.Leftovers {
	on := nodestate.Leftovers{
		Links: l.Links, Chains: l.Chains, NFTables: l.NFTables, IPSets: l.IPSets, Files: l.Files,
		CNIConfig: l.CNIConfig, CNIBinaries: l.CNIBinaries, Pins: pinPaths(l.BPFPins), Programs: l.Programs, Mounts: l.Mounts,
		RouteTables: l.RouteTables, RulePriorities: l.RulePriorities, XFRM: l.XFRM,
	}
	for cidr := range strings.SplitSeq(podCIDR, ",") {
		if cidr != "" {
			on.PodCIDRs = append(on.PodCIDRs, cidr)
		}
	}
	return on
}

// pinPaths completes paths below the BPF file system.
func pinPaths(below []string) []string {
	var full []string
	for _, p := range below {
		if !strings.HasPrefix(p, "/") {
			p = "/sys/fs/bpf/" + p
		}
		full = append(full, p)
	}
	return full
}

// foreignConfig says which nodes have a CNI configuration already. Kubelet
// takes the first by name, so two plugins are never what somebody wants.
func foreignConfig(states map[string]nodestate.State) error {
	var found []string
	for _, name := range sortedNodes(states) {
		for _, i := range states[name].Of(nodestate.CNIConfig) {
			if isConfig(i.Name) {
				found = append(found, name+": /etc/cni/net.d/"+i.Name)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &ForeignConfigError{found}
}

// isConfig tells which files container runtimes read.
func isConfig(name string) bool {
	return strings.HasSuffix(name, ".conf") || strings.HasSuffix(name, ".conflist") || strings.HasSuffix(name, ".json")
}

// ForeignConfigError says that nodes have a network plugin, or what is left of
// one. Each of Files is "NODE: PATH".
type ForeignConfigError struct{ Files []string }

func (e *ForeignConfigError) Error() string {
	return "nodes have a CNI configuration already: " + strings.Join(e.Files, ", ")
}

// Hint says how to have one plugin only.
func (e *ForeignConfigError) Hint() string {
	return "remove the plugin that wrote it (`cnibench variants remove` if cnibench installed it), or the file if that plugin is gone"
}

// missingBinaries says which CNI plugins nodes lack that the variant does not
// bring.
func missingBinaries(states map[string]nodestate.State, binaries []string) error {
	var missing []string
	for _, name := range sortedNodes(states) {
		for _, b := range binaries {
			if !states[name].Has(nodestate.CNIBinary, b) {
				missing = append(missing, name+": /opt/cni/bin/"+b)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return &MissingBinariesError{missing}
}

// MissingBinariesError names programs that the variant runs and does not bring.
// Each of Files is "NODE: PATH".
type MissingBinariesError struct{ Files []string }

func (e *MissingBinariesError) Error() string {
	return "nodes lack CNI plugins: " + strings.Join(e.Files, ", ")
}

// Hint says where the programs come from.
func (e *MissingBinariesError) Hint() string {
	return "put the reference plugins (github.com/containernetworking/plugins, or the package containernetworking-plugins) into /opt/cni/bin of these nodes"
}

// NotAsBeforeError says that a removed plugin is still to be seen, by node; the
// key "cluster" is the API's.
type NotAsBeforeError struct {
	Variant string
	Remains map[string][]string
}

func (e *NotAsBeforeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is removed, but not everything is as before:", e.Variant)
	for _, name := range sortedNodes(e.Remains) {
		for _, r := range e.Remains[name] {
			fmt.Fprintf(&b, "\n  %s: %s", name, r)
		}
	}
	return b.String()
}

// Hint says how to go on.
func (e *NotAsBeforeError) Hint() string {
	return "take away what is named and run `cnibench variants remove` again, or restart the nodes"
}

func sortedNodes[T any](byNode map[string]T) []string {
	names := make([]string, 0, len(byNode))
	for name := range byNode {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
