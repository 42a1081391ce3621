package nodestate

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Leftovers are names of what a plugin leaves on a node, with * for any text.
type Leftovers struct {
	Links          []string `json:"links,omitempty"`
	Chains         []string `json:"chains,omitempty"`   // of iptables
	NFTables       []string `json:"nftables,omitempty"` // "ip flannel-ipv4"
	IPSets         []string `json:"ipsets,omitempty"`
	Files          []string `json:"files,omitempty"`       // absolute paths, also of directories
	CNIConfig      []string `json:"cniConfig,omitempty"`   // names in /etc/cni/net.d
	CNIBinaries    []string `json:"cniBinaries,omitempty"` // names in /opt/cni/bin
	Pins           []string `json:"pins,omitempty"`        // paths below /sys/fs/bpf
	Programs       []string `json:"programs,omitempty"`    // BPF programs attached to links and control groups
	Mounts         []string `json:"mounts,omitempty"`
	RouteTables    []int    `json:"routeTables,omitempty"`
	RulePriorities []int    `json:"rulePriorities,omitempty"`
	XFRM           bool     `json:"xfrm,omitempty"`
	// PodCIDRs are the addresses of pods: routes to them are the plugin's.
	PodCIDRs []string `json:"podCIDRs,omitempty"`
}

// Leftover lists the items of now that a plugin is known to leave and that were
// not there before. With an empty state as before it lists all it is known to
// leave.
func Leftover(before, now State, l Leftovers) []Item {
	was := index(before)
	var found []Item
	for _, i := range now.Items {
		if _, there := was[identity{i.Kind, i.Name}]; !there && l.has(i) {
			found = append(found, i)
		}
	}
	return found
}

// ChangedSysctls lists settings that are not as before, with the value from
// before as detail.
func ChangedSysctls(before, now State) []Item {
	is := index(now)
	var changed []Item
	for _, i := range before.Of(Sysctl) {
		if value, there := is[identity{Sysctl, i.Name}]; there && value != i.Detail {
			changed = append(changed, i)
		}
	}
	return changed
}

func (l Leftovers) has(i Item) bool {
	switch i.Kind {
	case Link, PodLink:
		return matches(l.Links, i.Name)
	case Route, PodRoute:
		return l.hasRoute(i.Name)
	case Rule:
		priority, _, _ := strings.Cut(i.Name, ":")
		n, err := strconv.Atoi(priority)
		return err == nil && slices.Contains(l.RulePriorities, n)
	case Chain:
		return matches(l.Chains, fieldOf(i.Name, 2))
	case FilterRule:
		return l.hasFilterRule(i.Name)
	case NFTable:
		return matches(l.NFTables, i.Name)
	case IPSet:
		return matches(l.IPSets, i.Name)
	case XFRM:
		return l.XFRM
	case Qdisc:
		return len(l.Programs) > 0 && strings.HasSuffix(i.Name, " clsact")
	case Program:
		return matches(l.Programs, fieldOf(i.Name, 2))
	case CNIConfig:
		return matches(l.CNIConfig, i.Name)
	case CNIBinary:
		return matches(l.CNIBinaries, i.Name)
	case Path, SysctlFile:
		return matches(runPaths(l.Files), i.Name)
	case Pin:
		return matches(l.Pins, i.Name)
	case Mount:
		return matches(runPaths(l.Mounts), i.Name)
	}
	return false
}

// hasRoute reads "TABLE DESTINATION".
func (l Leftovers) hasRoute(name string) bool {
	table, destination, _ := strings.Cut(name, " ")
	if n, err := strconv.Atoi(table); err == nil {
		return slices.Contains(l.RouteTables, n)
	}
	to, err := netip.ParsePrefix(destination)
	if err != nil || table != mainTable {
		return false
	}
	for _, cidr := range l.PodCIDRs {
		pods, err := netip.ParsePrefix(cidr)
		if err == nil && pods.Bits() <= to.Bits() && pods.Contains(to.Addr()) {
			return true
		}
	}
	return false
}

// hasFilterRule tells whether a rule lies in a chain of the plugin or leads to
// one.
func (l Leftovers) hasFilterRule(name string) bool {
	fields := strings.Fields(name)
	for i, f := range fields[:max(0, len(fields)-1)] {
		if (f == "-A" || f == "-j" || f == "-g") && matches(l.Chains, fields[i+1]) {
			return true
		}
	}
	return false
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Matches(p, name) })
}

// Matches tells whether a name is the pattern, in which * stands for any text,
// also for none.
func Matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[last])
}

// runPaths names files below /var/run, a link on every distribution in use, by
// where they are.
func runPaths(paths []string) []string {
	named := make([]string, len(paths))
	for i, p := range paths {
		named[i] = p
		if rest, ok := strings.CutPrefix(p, "/var/run/"); ok {
			named[i] = "/run/" + rest
		}
	}
	return named
}

// fieldOf returns a word of a name, or nothing.
func fieldOf(name string, n int) string {
	if fields := strings.Fields(name); n < len(fields) {
		return fields[n]
	}
	return ""
}
