package probe

import "github.com/cnibench/cnibench/internal/probe/nodestate"

// The frames of the node command.
const (
	FrameNodeState   = "node-state"   // node state: [nodestate.State]
	FrameNodeCleaned = "node-cleaned" // node clean: [nodestate.Cleaned]
)

// NodeStateSpec says what `node state` looks at besides what every node has.
type NodeStateSpec struct {
	Paths []string `json:"paths,omitempty"` // that a plugin is known to make, with * for any text
}

// NodeCleanSpec says what `node clean` takes away: what a plugin leaves, except
// what was there before.
type NodeCleanSpec struct {
	Before    nodestate.State     `json:"before"`
	Leftovers nodestate.Leftovers `json:"leftovers"`
}
