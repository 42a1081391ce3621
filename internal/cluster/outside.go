package cluster

import (
	"net/netip"

	"github.com/cnibench/cnibench/internal/lab"
)

// Outside is a machine that pods reach and that is no node of the cluster.
// RunOnNode and ProbeArgv take its name.
type Outside struct{ Name, Address string }

// Outside returns a machine outside the cluster on which programs can be run,
// if the provider has one.
func (c *Cluster) Outside() (Outside, bool) {
	m, ok := c.Machines.(interface{ Outside() (Outside, bool) })
	if !ok {
		return Outside{}, false
	}
	return m.Outside()
}

// Outside is the machine of the control plane: it is on the same switch as the
// nodes, has no kubelet, and no plugin runs on it.
func (m labMachines) Outside() (Outside, bool) {
	return Outside{m.AllNodes()[0], lab.APIAddress().Addr().String()}, true
}

// BalancerRange returns the addresses that the provider keeps for Services of
// type LoadBalancer, where nobody else gives them any.
func (c *Cluster) BalancerRange() (netip.Prefix, bool) {
	m, ok := c.Machines.(interface{ BalancerRange() netip.Prefix })
	if !ok {
		return netip.Prefix{}, false
	}
	return m.BalancerRange(), true
}

// BalancerRange lies beside the nodes' network, where a lab has nobody else.
func (m labMachines) BalancerRange() netip.Prefix { return netip.MustParsePrefix(lab.BalancerCIDR) }
