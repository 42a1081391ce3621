package plan

import (
	"slices"
	"strings"
)

// Imported says that a plan was read off results which another program had
// measured. Its blocks are the runs of the source, its variants have no entry
// in the catalog and are called by their name there, too, and its cells have
// the scenario names of the source.
type Imported struct {
	Format string `json:"format"` // as `cnibench import` takes it, e.g. csv
	Source string `json:"source"` // the path that was read, as the user gave it
	// Interleaved says that the source measured every variant once in each
	// block, in turns, so that a block's values are pairs. Runs that were taken
	// one variant after the other only share a number.
	Interleaved bool `json:"interleaved,omitempty"`
}

// Unpaired tells whether values of one block have no more in common than
// values of different blocks, so that variants are compared as independent
// samples.
func (p Plan) Unpaired() bool { return p.Imported != nil && !p.Imported.Interleaved }

// BaselineNames are what other programs call pods or processes on the nodes'
// own network, without a plugin in the path; the most telling first.
func BaselineNames() []string {
	return []string{"host", "baremetal", "bare-metal", "hostNetwork", "host-network", "none"}
}

// BaselineName says that a name is one of them, in whatever case.
func BaselineName(name string) bool {
	return slices.ContainsFunc(BaselineNames(), func(known string) bool { return strings.EqualFold(known, name) })
}
