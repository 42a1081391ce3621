package lab

import (
	"fmt"
	"net/netip"
	"strings"
)

// Prefix lengths of a node's pods.
const (
	PodCIDRPerNode  = 22 // of IPv4
	podCIDRPerNode6 = 64 // of IPv6, of which a cluster's /56 holds 256
)

// Last bytes of addresses in the nodes' network, and the port of the API.
const (
	bridgeHost      = 254
	controlHost     = 1
	firstWorkerHost = 11
	apiPort         = 6443
	controlPlane    = "control-plane"
)

// maxNetworks is how many labs can be joined: their pods' networks begin at
// 10.244, and there is none beyond 10.255.
const maxNetworks = 12

// network is a lab's addresses. Labs that share no network all have those of
// number 0; of labs that are joined each has its own number.
type network struct {
	number int
	family string
}

// families are the lab's, the first one first.
func (n network) families() []string {
	switch n.family {
	case DualStack:
		return []string{IPv4, IPv6}
	case IPv6:
		return []string{IPv6}
	}
	return []string{IPv4}
}

// each makes a prefix per family of the lab.
func (n network) each(of func(family string) netip.Prefix) []netip.Prefix {
	var all []netip.Prefix
	for _, family := range n.families() {
		all = append(all, of(family))
	}
	return all
}

// allNodes holds the nodes of every lab: the ranges that RFC 2544 and RFC 5180
// keep for benchmarks, so that they collide with nobody's pods.
func (n network) allNodes() []netip.Prefix {
	return n.each(func(family string) netip.Prefix {
		if family == IPv6 {
			return netip.MustParsePrefix("2001:2::/48")
		}
		return netip.MustParsePrefix("198.18.0.0/15")
	})
}

// nodes is the nodes' network.
func (n network) nodes() []netip.Prefix {
	return n.each(func(family string) netip.Prefix {
		if family == IPv6 {
			return numbered6("2001:2::/64", 7, n.number)
		}
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18, byte(n.number), 0}), 24)
	})
}

// pods is the network of all pods. Those of IPv6, and the Services', are local
// ones (RFC 4193).
func (n network) pods() []netip.Prefix {
	return n.each(func(family string) netip.Prefix {
		if family == IPv6 {
			return numbered6("fd00:10:244::/56", 5, n.number)
		}
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 244 + byte(n.number), 0, 0}), 16)
	})
}

// services is the network of cluster IPs.
func (n network) services() []netip.Prefix {
	return n.each(func(family string) netip.Prefix {
		if family == IPv6 {
			return numbered6("fd00:10:96::/112", 7, n.number)
		}
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 96 + byte(n.number), 0, 0}), 16)
	})
}

// balancers is kept for Services of type LoadBalancer: no machine has an
// address of it. It is not valid in a lab without IPv4.
func (n network) balancers() netip.Prefix {
	if !n.nodes()[0].Addr().Is4() {
		return netip.Prefix{}
	}
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 19, byte(n.number), 0}), 24)
}

// numbered6 writes a number into a byte of an IPv6 prefix.
func numbered6(prefix string, at, number int) netip.Prefix {
	p := netip.MustParsePrefix(prefix)
	bytes := p.Addr().As16()
	bytes[at] += byte(number)
	return netip.PrefixFrom(netip.AddrFrom16(bytes), p.Bits())
}

// service is the cluster IP with the given last byte, of the first family: 1 is
// the Service "kubernetes", 10 by convention the DNS.
func (n network) service(last byte) netip.Addr { return withLast(n.services()[0].Addr(), last) }

// host is the addresses with the given last byte in the nodes' network, one per
// family.
func (n network) host(last byte) []netip.Prefix {
	all := n.nodes()
	for i, p := range all {
		all[i] = netip.PrefixFrom(withLast(p.Addr(), last), p.Bits())
	}
	return all
}

func withLast(a netip.Addr, last byte) netip.Addr {
	bytes := a.AsSlice()
	bytes[len(bytes)-1] = last
	changed, _ := netip.AddrFromSlice(bytes) // as long as before
	return changed
}

func (n network) worker(i int) []netip.Prefix { return n.host(byte(firstWorkerHost + i - 1)) }

// api is where nodes reach the API server.
func (n network) api() netip.AddrPort {
	return netip.AddrPortFrom(n.host(controlHost)[0].Addr(), apiPort)
}

func workerName(i int) string { return fmt.Sprintf("node%d", i) }

// addressesOf are the addresses of prefixes, without their lengths.
func addressesOf(prefixes []netip.Prefix) []string {
	var all []string
	for _, p := range prefixes {
		all = append(all, p.Addr().String())
	}
	return all
}

// listed writes prefixes as the programs of Kubernetes take them.
func listed(prefixes []netip.Prefix) string {
	var all []string
	for _, p := range prefixes {
		all = append(all, p.String())
	}
	return strings.Join(all, ",")
}

// PodCIDRs are the networks of the lab's pods, one per family.
func (c Config) PodCIDRs() []netip.Prefix { return c.network().pods() }

// ServiceCIDRs are the networks of the lab's cluster IPs, one per family.
func (c Config) ServiceCIDRs() []netip.Prefix { return c.network().services() }

// BalancerRange is kept for Services of type LoadBalancer.
func (c Config) BalancerRange() netip.Prefix { return c.network().balancers() }

// ClusterDNS is the address that kubelets name to pods as that of the DNS.
func (c Config) ClusterDNS() string { return c.network().service(10).String() }

// APIAddress is where nodes reach the API server.
func (c Config) APIAddress() netip.AddrPort { return c.network().api() }

func (c Config) network() network { return network{c.Network, c.IPFamily} }
