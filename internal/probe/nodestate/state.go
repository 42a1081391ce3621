package nodestate

import (
	"cmp"
	"slices"
)

// Kind says what an item is, in the words that users read.
type Kind string

// The kinds of items. Name and Detail of each are:
const (
	Link         Kind = "link"              // name; type, MTU, master
	PodLink      Kind = "pod link"          // the node's end of a pod's link: it comes and goes with the pod
	Address      Kind = "address"           // "10.244.1.1/24 on cni0"
	Route        Kind = "route"             // "main 10.244.2.0/24"; gateway, device, protocol
	PodRoute     Kind = "pod route"         // as Route, out of a pod link
	Rule         Kind = "routing rule"      // "100: from all lookup 2004"
	Chain        Kind = "iptables chain"    // "iptables-nft nat FLANNEL-POSTRTG"; policy of a built-in one
	FilterRule   Kind = "iptables rule"     // "iptables-nft nat -A POSTROUTING …"
	NFTable      Kind = "nftables table"    // "ip flannel-ipv4"
	NFLine       Kind = "nftables line"     // "ip flannel-ipv4 postrtg: …", without counters and handles
	IPSet        Kind = "ipset"             // name; type
	XFRM         Kind = "xfrm entry"        // "state 10.0.0.1 to 10.0.0.2 …", "policy …"
	Qdisc        Kind = "qdisc"             // "eth0 clsact"
	Program      Kind = "bpf program"       // "eth0 ingress cil_from_netdev"; how it is attached
	CNIConfig    Kind = "CNI configuration" // name in /etc/cni/net.d; digest
	CNIBinary    Kind = "CNI binary"        // name in /opt/cni/bin; size
	Path         Kind = "path"              // one that the plugin is known to make; file or directory
	Pin          Kind = "bpf pin"           // path below /sys/fs/bpf
	Mount        Kind = "mount"             // mount point; type
	SysctlFile   Kind = "sysctl file"       // path in /etc/sysctl.d; digest
	Sysctl       Kind = "sysctl"            // "net.ipv4.ip_forward"; value
	TunnelPort   Kind = "tunnel port"       // "8472/udp" that the kernel itself listens on
	Annotation   Kind = "node annotation"   // key; what the API says of the node, not the node itself
	Label        Kind = "node label"        // key
	Taint        Kind = "node taint"        // key; effect
	APICondition Kind = "node condition"    // type; reason
)

// Item is one thing on a node. Kind and Name identify it; Detail is what may
// change while it stays the same thing.
type Item struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Detail string `json:"detail,omitempty"`
}

func (i Item) String() string {
	s := string(i.Kind) + " " + i.Name
	if i.Detail != "" {
		s += " (" + i.Detail + ")"
	}
	return s
}

// State is what was found on a node. What changes by itself is left out:
// counters, neighbours, connection tracking, the chains of kube-proxy and of
// the kubelet, and what the kernel adds to every link.
type State struct {
	Items []Item `json:"items"`
	// Unread names what could not be looked at and why. It may be anything.
	Unread []Unread `json:"unread,omitempty"`
}

// Unread is a part of a node that could not be looked at.
type Unread struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

// Of returns the items of a kind.
func (s State) Of(kind Kind) []Item {
	var found []Item
	for _, i := range s.Items {
		if i.Kind == kind {
			found = append(found, i)
		}
	}
	return found
}

// Has tells whether the state has an item of that kind and name, whatever its
// detail is.
func (s State) Has(kind Kind, name string) bool {
	return slices.ContainsFunc(s.Items, func(i Item) bool { return i.Kind == kind && i.Name == name })
}

func sortItems(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Detail, b.Detail))
	})
}
