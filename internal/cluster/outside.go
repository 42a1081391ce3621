package cluster

// Outside is a machine that pods reach and that is no node of the cluster.
// RunOnNode and ProbeArgv take its name.
type Outside struct{ Name, Address string }

// Outside returns a machine outside the cluster on which programs can be run,
// if the provider has one.
func (c *Cluster) Outside() (Outside, bool) {
	m, ok := c.Machines.(interface{ Outside() Outside })
	if !ok {
		return Outside{}, false
	}
	return m.Outside(), true
}

// Outside is the machine of the control plane: it is on the same switch as the
// nodes, has no kubelet, and no plugin runs on it.
func (m labMachines) Outside() Outside {
	return Outside{m.AllNodes()[0], m.Config().APIAddress().Addr().String()}
}
