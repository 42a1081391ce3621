package nodestate

// Cleaned is what the removal of leftovers did on a node.
type Cleaned struct {
	Done   []string `json:"done"`             // what was taken away or put back
	Failed []string `json:"failed,omitempty"` // what could not be at the last try, and why
	After  State    `json:"after"`
}
