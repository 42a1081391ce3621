package lab

import (
	"fmt"
	"net/netip"
)

// Addresses inside a lab. Every lab has the same, because labs share no
// network. Nodes are numbered from the range that RFC 2544 keeps for
// benchmarks, so that they collide with nobody's pods.
const (
	PodCIDR        = "10.244.0.0/16"
	PodCIDRPerNode = 22 // prefix length
	ServiceCIDR    = "10.96.0.0/16"
	ClusterDNS     = "10.96.0.10"
	// BalancerCIDR is kept for Services of type LoadBalancer: no machine has
	// an address of it.
	BalancerCIDR    = "198.18.1.0/24"
	kubernetesIP    = "10.96.0.1" // of the Service "kubernetes"
	controlPlane    = "control-plane"
	apiPort         = 6443
	nodePrefix      = "198.18.0.0/24"
	bridgeHost      = 254
	controlHost     = 1
	firstWorkerHost = 11
)

// hostAddress returns the address with the given last byte in the nodes'
// network.
func hostAddress(last byte) netip.Prefix {
	network := netip.MustParsePrefix(nodePrefix)
	a := network.Addr().As4()
	a[3] = last
	return netip.PrefixFrom(netip.AddrFrom4(a), network.Bits())
}

func workerName(i int) string { return fmt.Sprintf("node%d", i) }

func workerAddress(i int) netip.Prefix { return hostAddress(byte(firstWorkerHost + i - 1)) }

// APIAddress is where nodes reach the API server.
func APIAddress() netip.AddrPort { return netip.AddrPortFrom(hostAddress(controlHost).Addr(), apiPort) }
