package cni

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// uplink judges the driver of the interface to other nodes.
func (f *findings) uplink(node string, want Requires, r kernel.Report) {
	if len(want.Drivers) == 0 || slices.Contains(want.Drivers, r.Uplink.Driver) {
		return
	}
	wanted := "needs one of " + strings.Join(want.Drivers, ", ")
	switch {
	case r.Uplink.Unknown != "":
		f.add(RunsUnknown, node, fmt.Sprintf("the uplink's driver is unknown (%s); it %s", r.Uplink.Unknown, wanted))
	case r.Uplink.Driver == "":
		f.add(RunsUnknown, node, fmt.Sprintf("%s does not tell its driver; it %s", r.Uplink.Name, wanted))
	default:
		f.add(RunsNo, node, fmt.Sprintf("%s is driven by %s; it %s", r.Uplink.Name, r.Uplink.Driver, wanted))
	}
}

// ports judges those that must be free. Those of the plugin that is installed
// become free when it is removed.
func (f *findings) ports(node string, e Entry, r kernel.Report, facts Facts) {
	for _, port := range portsOf(e) {
		switch {
		case r.PortsUnknown != "":
			f.add(RunsUnknown, node, "nothing tells whether "+port+" is free: "+r.PortsUnknown)
		case !slices.Contains(r.Taken, port) || facts.Plugin != "" && facts.Plugin == e.Plugin.Title:
		case slices.Contains(facts.PluginPorts, port):
			f.add(RunsDegraded, node, fmt.Sprintf("%s is used by %s, which must be removed first", port, facts.Plugin))
		default:
			f.add(RunsNo, node, port+" is in use")
		}
	}
}

// portsOf lists the ports that an entry needs, its tunnel's among them.
func portsOf(e Entry) []string {
	ports := e.Requires.Ports
	if _, _, err := kernel.ParsePort(e.Encapsulation.Port); err == nil {
		ports = union(ports, []string{e.Encapsulation.Port})
	}
	return ports
}

// oneLink looks whether every node's address lies in the subnet of every other
// node's uplink. That they do is no proof of one link, but that they do not
// means that pod networks must be routed between them.
func (f *findings) oneLink(nodes map[string]kernel.Report, facts Facts) {
	if len(facts.Nodes) == 0 {
		f.unchecked = append(f.unchecked, "whether nodes share one link")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		uplink := nodes[name].Uplink
		if uplink.Unknown != "" {
			f.add(RunsUnknown, name, "whether nodes share one link is unknown: "+uplink.Unknown)
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(facts.Nodes)) {
			if !within(facts.Nodes[other].Address, uplink.Prefixes) {
				f.add(RunsUnknown, name, fmt.Sprintf("%s (%s) is not in a subnet of %s: pod networks must be routed between them", other, facts.Nodes[other].Address, uplink.Name))
			}
		}
	}
}

func within(address string, prefixes []netip.Prefix) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(a) })
}
