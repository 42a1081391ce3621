package doctor

import (
	"fmt"
	"slices"
	"strings"
)

const (
	mostErrorShare = 1e-6 // of packets; a healthy line has none
	conntrackHigh  = 0.5
	conntrackFull  = 0.9
	jumbo          = 9000
)

var networkChecks = []Check{
	{
		ID: "tcp.congestion", Title: "one congestion control on both ends", Worst: Unfit, Kinds: clusters, judge: oneFinding(congestion),
		Why: "the sender's congestion control decides TCP throughput; ends that differ make every TCP trial invalid",
	},
	{
		ID: "mtu.links", Title: "nodes' links have one MTU", Worst: Warning, Kinds: clusters, judge: oneFinding(linkMTUs),
		Why: "on one network segment the smaller link drops what the larger one sends",
	},
	{
		ID: "mtu.path", Title: "what routes promise passes, by probes that may not be fragmented", Worst: Unfit, Kinds: clusters, judge: pathMTUs,
		Why: "packets larger than what the path carries are lost or fragmented: connections hang or throughput falls, across nodes above all",
	},
	{
		ID: "mtu.jumbo", Title: "jumbo frames", Worst: Info, Kinds: onCluster, judge: eachNode(jumboFrames),
		Why: "throughput per CPU depends on the size of packets; if the network carries 9000 bytes, results with 1500 are only half of the story",
	},
	{
		ID: "nic.offloads", Title: "offloads are on and equal", Worst: Warning, Kinds: clusters, judge: offloads,
		Why: "without segmentation, checksums and GRO in the link the CPU does the work per packet: other figures than with them",
	},
	{
		ID: "nic.queues", Title: "interrupts are spread", Worst: Warning, Kinds: onCluster, judge: eachNode(spread),
		Why: "when one CPU takes all of the card's interrupts it is the limit, whatever the plugin does",
	},
	{
		ID: "nic.errors", Title: "the link has counted no errors", Worst: Warning, Kinds: clusters, judge: eachNode(linkErrors),
		Why: "lost and damaged packets make TCP slow down, at random",
	},
	{
		ID: "net.conntrack", Title: "room for tracked connections", Worst: Unfit, Kinds: everywhere, judge: eachNode(conntrack),
		Why: "when the table of connections is full, new ones are dropped: tests of connection rates fail or measure the table",
	},
	{
		ID: "net.shaping", Title: "the network keeps its rate", Worst: Warning, Kinds: clusters, judge: oneFinding(shaping), OnlyDeep: true,
		Why: "cloud networks give credit for bursts: after minutes of load the rate falls, and whoever is measured later looks slower",
	},
}

func congestion(s Snapshot) Finding {
	if len(s.Ends) < 2 {
		return unknown("", firstReason(s.Missing[PartEnds], "the settings of both ends are not known"))
	}
	var ends []string
	values := map[string]bool{}
	for _, end := range sortedKeys(s.Ends) {
		values[s.Ends[end]] = true
		ends = append(ends, end+": "+s.Ends[end])
	}
	if len(values) > 1 {
		return found(Unfit, "", strings.Join(ends, ", "), "on all nodes: sysctl -w net.ipv4.tcp_congestion_control=cubic")
	}
	return ok("", "%s", strings.Join(ends, ", "))
}

func linkMTUs(s Snapshot) Finding {
	var all []string
	sizes := map[string][]string{}
	for _, n := range s.looked() {
		mtu, missing := n.fact("uplink.mtu")
		if missing != "" {
			return unknown(n.Name, missing)
		}
		sizes[mtu] = append(sizes[mtu], n.Name)
		all = append(all, n.Name+": "+mtu)
	}
	switch {
	case len(sizes) == 0:
		return unknown("", "no node that carries load is known")
	case len(sizes) > 1:
		return found(Warning, "", "the links of the nodes differ: "+strings.Join(all, ", "), "give them one MTU: ip link set dev UPLINK mtu BYTES, and keep it in the nodes' network configuration")
	}
	return ok("", "%s", strings.Join(all, ", "))
}

// pathMTUs judges the way between nodes and that between pods.
func pathMTUs(s Snapshot) []Finding {
	return []Finding{
		pathMTU(s, s.HostPath, PartHostPath, "between nodes"),
		pathMTU(s, s.PodPath, PartPodPath, "between pods"),
	}
}

func pathMTU(s Snapshot, p *Path, part Part, between string) Finding {
	if p == nil {
		return unknown(between, s.Missing[part])
	}
	between = fmt.Sprintf("%s, %s to %s", between, p.From, p.To)
	seen := fmt.Sprintf("route %d, interface %s, largest that came back %d bytes", p.Route, p.Interface, p.Bytes)
	switch {
	case !p.Reached:
		return found(Unfit, between, "not even packets of 576 bytes come back: "+p.Why, "see pods.path and policy.blocking; on the nodes: ip route get ADDRESS")
	case p.Route > p.Bytes:
		return found(Unfit, between, "larger packets than that are lost: "+seen, mtuFix(part, p))
	case part == PartPodPath && p.LinkMTU > 0 && p.Route < p.LinkMTU-mostOverhead:
		return found(Info, between, fmt.Sprintf("pods use less than the link of %d bytes has room for: %s", p.LinkMTU, seen),
			fmt.Sprintf("set the plugin's MTU to the link's less its encapsulation (VXLAN: %d)", p.LinkMTU-50))
	}
	return ok(between, "%s", seen)
}

// mostOverhead is the largest encapsulation of the catalog, VXLAN within
// WireGuard, in bytes.
const mostOverhead = 130

func mtuFix(part Part, p *Path) string {
	if part == PartHostPath {
		return fmt.Sprintf("ip link set dev %s mtu %d on both nodes, or raise the other node's and the switch's", p.Interface, p.Bytes)
	}
	return fmt.Sprintf("set the plugin's MTU to %d (Flannel: net-conf.json Backend.MTU; Calico: mtu; Cilium: MTU), after the nodes' own path is right", p.Bytes)
}

func jumboFrames(_ Snapshot, n Node) Finding {
	mtu, missing := n.fact("uplink.mtu")
	bytes, is := leadingInt(mtu)
	switch {
	case missing != "" || !is:
		return unknown("", firstReason(missing, fmt.Sprintf("the MTU reads %q", mtu)))
	case bytes < jumbo:
		return found(Info, "", fmt.Sprintf("the uplink carries %d bytes", bytes), "if the network carries 9000: ip link set dev UPLINK mtu 9000 on all nodes, and measure with both")
	}
	return ok("", "%d bytes", bytes)
}

// wantedOffloads are those that TCP over a link needs to be fast.
var wantedOffloads = []string{"tx-tcp-segmentation", "tx-generic-segmentation", "rx-gro", "tx-scatter-gather"}

func offloads(s Snapshot) []Finding {
	nodes := s.looked()
	findings := eachNode(offloadsOf)(s)
	if len(nodes) < 2 {
		return findings
	}
	return append(findings, sameOffloads(nodes[0], nodes[1]))
}

func offloadsOf(_ Snapshot, n Node) Finding {
	var off []string
	known := 0
	kind, _ := n.fact("uplink.kind")
	for _, name := range wantedOffloads {
		if name == "rx-gro" && kind == "veth" {
			continue // the kernel has it off there: what arrives was never cut
		}
		state, missing := n.fact("uplink.offload." + name)
		if missing != "" {
			continue
		}
		known++
		if strings.HasPrefix(state, "off") {
			off = append(off, name)
		}
	}
	switch {
	case known == 0:
		_, why := n.fact("uplink.offload." + wantedOffloads[0])
		return unknown("", why)
	case len(off) > 0:
		return found(Warning, "", "off: "+strings.Join(off, ", "), fmt.Sprintf("on the node: ethtool -K UPLINK %s on", strings.Join(off, " on ")))
	}
	return ok("", "%d of %d that matter are known, and on", known, len(wantedOffloads))
}

func sameOffloads(a, b Node) Finding {
	const family = "uplink.offload."
	where := a.Name + " and " + b.Name
	var differ []string
	compared := 0
	for name, state := range a.Facts.Values {
		other, has := b.Facts.Values[name]
		if !strings.HasPrefix(name, family) || !has {
			continue
		}
		compared++
		if other != state {
			differ = append(differ, strings.TrimPrefix(name, family))
		}
	}
	slices.Sort(differ)
	switch {
	case compared == 0:
		_, why := a.fact(strings.TrimSuffix(family, "."))
		return unknown(where, why)
	case len(differ) > 0:
		return found(Warning, where, "the ends differ in "+some(differ), "make them equal with ethtool -K, or use equal nodes")
	}
	return ok(where, "%d are equal", compared)
}

func spread(_ Snapshot, n Node) Finding {
	irqs, missing := n.fact("uplink.irq.cpus")
	if missing != "" {
		return unknown("", missing)
	}
	count, _ := n.fact("uplink.irq.count")
	interrupts, _ := leadingInt(count)
	if cpus := cpusIn(irqs); len(cpus) == 1 && interrupts > 1 && n.CPUs > 1 {
		return found(Warning, "", fmt.Sprintf("all %d interrupts of the card go to one CPU: %s", interrupts, irqs),
			"on the node: start irqbalance, or write one CPU per interrupt to /proc/irq/N/smp_affinity_list")
	}
	return ok("", "%d interrupts: %s", interrupts, irqs)
}

func linkErrors(_ Snapshot, n Node) Finding {
	if why := n.vital("link"); why != "" {
		return unknown("", why)
	}
	v := n.Vitals
	var worst uint64
	var all []string
	for _, name := range sortedKeys(v.Errors) {
		all = append(all, fmt.Sprintf("%s %d", name, v.Errors[name]))
		worst = max(worst, v.Errors[name])
	}
	switch {
	case v.Packets == 0:
		return unknown("", v.Link+" has carried no packet yet")
	case len(all) == 0:
		return ok("", "%s: none in %d packets", v.Link, v.Packets)
	case float64(worst)/float64(v.Packets) > mostErrorShare:
		return found(Warning, "", fmt.Sprintf("%s: %s, in %d packets", v.Link, some(all), v.Packets),
			fmt.Sprintf("on the node: ethtool -S %s twice, and see what grows; larger rings (ethtool -G %s rx 4096), another cable or port", v.Link, v.Link))
	}
	return ok("", "%s: %s, few in %d packets", v.Link, some(all), v.Packets)
}

func conntrack(_ Snapshot, n Node) Finding {
	if why := n.vital("conntrack"); why != "" {
		return unknown("", why)
	}
	c := n.Vitals.Conntrack
	if c == nil || c.Limit == 0 {
		return unknown("", "the node has no table of connections")
	}
	share := float64(c.Entries) / float64(c.Limit)
	seen := fmt.Sprintf("%d of %d tracked connections", c.Entries, c.Limit)
	fix := fmt.Sprintf("on the node: sysctl -w net.netfilter.nf_conntrack_max=%d, or kube-proxy's conntrack.maxPerCore", max(4*c.Entries, 262144))
	switch {
	case share >= conntrackFull:
		return found(Unfit, "", seen, fix)
	case share >= conntrackHigh:
		return found(Warning, "", seen, fix)
	}
	return ok("", "%s", seen)
}
