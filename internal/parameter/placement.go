package parameter

// Placement is the name of the parameter that says where the two ends of a
// load run. A campaign has to know it: some clusters cannot place them so.
const (
	Placement = "placement"
	CrossNode = "cross-node" // on different nodes
	SameNode  = "same-node"
)
