package plan

import "cmp"

// Shape is what a plan tells of its cluster before that is there. Of clusters
// that cnibench does not make it is little: what is zero is not known.
type Shape struct {
	Nodes     int    // that may carry load
	MaxPods   int    // that each node's kubelet takes
	KubeProxy string // iptables, nftables or none
	// IPv4 and IPv6 are the families of pods' addresses; neither: not known.
	IPv4, IPv6 bool
	// What follows is known of every cluster.
	Lab     bool // cnibench makes its machines
	Peer    bool // there is a second cluster
	Outside bool // there is a host that is no node
	// KeepsCNI says that the network plugin may not be changed.
	KeepsCNI bool
}

// Shape returns what is known of the cluster.
func (c Cluster) Shape() Shape {
	switch {
	case c.Lab != nil:
		return Shape{
			Nodes: c.Lab.Nodes, MaxPods: c.Lab.MaxPods, KubeProxy: c.Lab.KubeProxy,
			IPv4: c.Lab.IPFamily != "ipv6", IPv6: c.Lab.IPFamily == "ipv6" || c.Lab.IPFamily == "dual",
			Lab: true, Peer: c.Lab.Peer, Outside: true,
		}
	case c.Existing != nil:
		return Shape{Peer: c.Existing.Peer != nil, Outside: c.Existing.Outside.Address != "", KeepsCNI: !c.Existing.AllowCNIChange}
	case c.Command != nil:
		return Shape{Outside: c.Command.Outside.Address != ""}
	}
	return Shape{}
}

// ShapeFor returns what is known of the cluster that a variant gets.
func (c Cluster) ShapeFor(v Variant) Shape {
	s := c.Shape()
	s.KubeProxy = cmp.Or(v.KubeProxy, s.KubeProxy)
	return s
}

// DualStack tells whether pods are known to have addresses of both families.
func (s Shape) DualStack() bool { return s.IPv4 && s.IPv6 }

// IPv6Only tells whether pods are known to have addresses of IPv6 alone.
func (s Shape) IPv6Only() bool { return s.IPv6 && !s.IPv4 }

// LacksFamily tells whether pods are known to have no address of a family,
// ipv4 or ipv6.
func (s Shape) LacksFamily(family string) bool {
	known := s.IPv4 || s.IPv6
	return known && (family == "ipv4" && !s.IPv4 || family == "ipv6" && !s.IPv6)
}
