package lab

import (
	"fmt"
	"net/netip"
)

// PodCIDRPerNode is the prefix length of a node's pods.
const PodCIDRPerNode = 22

// Last bytes of addresses in the nodes' network, and the port of the API.
const (
	bridgeHost      = 254
	controlHost     = 1
	firstWorkerHost = 11
	apiPort         = 6443
	controlPlane    = "control-plane"
)

// network is the number of a lab's addresses. Labs that share no network all
// have those of number 0; of labs that are joined each has its own.
type network int

// maxNetworks is how many labs can be joined: their pods' networks begin at
// 10.244, and there is none beyond 10.255.
const maxNetworks = 12

// allNodes holds the nodes of every lab: the range that RFC 2544 keeps for
// benchmarks, so that they collide with nobody's pods.
var allNodes = netip.MustParsePrefix("198.18.0.0/15")

// nodes is the nodes' network.
func (n network) nodes() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18, byte(n), 0}), 24)
}

// pods is the network of all pods.
func (n network) pods() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 244 + byte(n), 0, 0}), 16)
}

// services is the network of cluster IPs.
func (n network) services() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 96 + byte(n), 0, 0}), 16)
}

// balancers is kept for Services of type LoadBalancer: no machine has an
// address of it.
func (n network) balancers() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 19, byte(n), 0}), 24)
}

// service is the cluster IP with the given last byte: 1 is the Service
// "kubernetes", 10 by convention the DNS.
func (n network) service(last byte) netip.Addr { return withLast(n.services().Addr(), last) }

// host is the address with the given last byte in the nodes' network.
func (n network) host(last byte) netip.Prefix {
	return netip.PrefixFrom(withLast(n.nodes().Addr(), last), n.nodes().Bits())
}

func withLast(a netip.Addr, last byte) netip.Addr {
	bytes := a.As4()
	bytes[3] = last
	return netip.AddrFrom4(bytes)
}

func (n network) worker(i int) netip.Prefix { return n.host(byte(firstWorkerHost + i - 1)) }

// api is where nodes reach the API server.
func (n network) api() netip.AddrPort { return netip.AddrPortFrom(n.host(controlHost).Addr(), apiPort) }

func workerName(i int) string { return fmt.Sprintf("node%d", i) }

// PodCIDR is the network of the lab's pods.
func (c Config) PodCIDR() string { return c.network().pods().String() }

// ServiceCIDR is the network of the lab's cluster IPs.
func (c Config) ServiceCIDR() string { return c.network().services().String() }

// BalancerRange is kept for Services of type LoadBalancer.
func (c Config) BalancerRange() netip.Prefix { return c.network().balancers() }

// ClusterDNS is the address that kubelets name to pods as that of the DNS.
func (c Config) ClusterDNS() string { return c.network().service(10).String() }

// APIAddress is where nodes reach the API server.
func (c Config) APIAddress() netip.AddrPort { return c.network().api() }

func (c Config) network() network { return network(c.Network) }
