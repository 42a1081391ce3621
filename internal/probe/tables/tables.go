package tables

import (
	"fmt"
	"path"
	"strings"
)

// Frame is the kind of the frame that answers the command tables: a [Report].
const Frame = "tables"

// Conntrack is the name of the kernel's own table.
const Conntrack = "nf_conntrack"

// pins is where BPF objects are pinned, as the kernel's documentation has it.
const pins = "/sys/fs/bpf"

// Spec says which tables are meant. That of nf_conntrack always is.
type Spec struct {
	// Root is where the process sees the node's root directory.
	Root string `json:"root"`
	// Pins are BPF maps by their paths below /sys/fs/bpf, tc/globals/NAME,
	// which may be patterns as [path.Match] has them.
	Pins []string `json:"pins,omitempty"`
}

// Validate reports what makes s unusable: a path that leads out of the place
// of pins.
func (s Spec) Validate() error {
	for _, pin := range s.Pins {
		_, bad := path.Match(pin, "")
		if bad != nil || pin == "" || path.IsAbs(pin) || path.Clean(pin) != pin || strings.HasPrefix(pin, "..") {
			return fmt.Errorf("%q is no path below %s", pin, pins)
		}
	}
	return nil
}

// Report is what was found. A table that could not be read is in Missing, with
// the reason.
type Report struct {
	Tables []Table `json:"tables"` // nf_conntrack first, then maps in the order of the pins
	// Events are what nf_conntrack has counted since the network namespace
	// exists, by the names of /proc/net/stat/nf_conntrack: drop, early_drop,
	// insert_failed and others. Nil: they are in Missing as [PartEvents].
	Events map[string]uint64 `json:"events,omitempty"`
	// Absent are tables that the node does not have: nothing is pinned there, or
	// the kernel tracks nothing.
	Absent  []string          `json:"absent,omitempty"`
	Missing map[string]string `json:"missing,omitempty"`
}

// PartEvents is the name of the events in [Report.Missing].
const PartEvents = "events"

// Table is one of them. While a map is counted, others change it: Entries can
// be off by what they did meanwhile.
type Table struct {
	Name string `json:"name"` // nf_conntrack, or the last part of the pin's path
	// Evicts tells that the table makes room by throwing out the entry that was
	// unused for longest, instead of refusing a new one.
	Evicts  bool   `json:"evicts"`
	Entries uint64 `json:"entries"`
	Limit   uint64 `json:"limit"` // above 0
}

// Fill is the share of the table that is in use; 1 is full. The kernel's own
// table and maps of several processors can be a little above.
func (t Table) Fill() float64 { return float64(t.Entries) / float64(t.Limit) }

// Find returns the table of that name.
func (r Report) Find(name string) (Table, bool) {
	for _, t := range r.Tables {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}
