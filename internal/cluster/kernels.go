package cluster

// Kernel identifies the kernel that all samplers share, where they share one:
// two clusters with the same are on one machine. See Machines.SharedKernel.
func (c *Cluster) Kernel() string {
	if m, ok := c.Machines.(interface{ kernel() string }); ok {
		return m.kernel()
	}
	return "unknown"
}

// SeesGroupsOf tells whether a probe on a node of this cluster sees the control
// groups of everything in the other: of labs, which are on one machine, each
// sees all.
func (c *Cluster) SeesGroupsOf(other *Cluster) bool {
	_, here := c.Machines.(labMachines)
	_, there := other.Machines.(labMachines)
	return here && there
}

func (m labMachines) kernel() string { return "this machine's" }

func (m *existingMachines) kernel() string { return m.kernels[m.ends[0]] }
