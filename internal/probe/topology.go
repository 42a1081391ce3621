package probe

// Topology is where a node's CPUs are, as its kernel tells. Lists of CPUs are
// in the list format of Linux, such as 0-3,8.
type Topology struct {
	Online string     `json:"online"`
	NUMA   []NUMANode `json:"numa"` // one if the kernel tells of none
	// Card is the NUMA node that a network interface is attached to; -1 if
	// that is not known, as for virtual ones.
	Card int `json:"card"`
}

// NUMANode is a part of the memory and the CPUs that are near to it.
type NUMANode struct {
	ID   int    `json:"id"`
	CPUs string `json:"cpus"`
}

// FrameTopology is the kind of the frame that topology writes: [Topology].
const FrameTopology = "topology"
