package plan

import "github.com/cnibench/cnibench/internal/parameter"

// Cell is one scenario with all its parameters fixed.
type Cell struct {
	ID         string           `json:"id"` // unique in the plan, e.g. tcp-pod-multi or tcp-pod-multi.streams=4
	Scenario   string           `json:"scenario"`
	Parameters parameter.Values `json:"parameters,omitempty"`
	// Definition is a digest of the file that defines the scenario if it is
	// the user's: without it nobody can tell what was measured.
	Definition string `json:"definition,omitempty"`
	// Target is the server that the parameters name, if it is none of ours.
	Target *Target `json:"target,omitempty"`
}
