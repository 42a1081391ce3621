package vitals

import "time"

// Frame is the kind of the frame that answers the command vitals: a [Report].
const Frame = "vitals"

// Spec says which link is meant.
type Spec struct {
	Address string `json:"address"` // that the node has for other nodes
	// ClockOnly asks for [Report.At] and nothing else, which takes no time.
	ClockOnly bool `json:"clockOnly,omitempty"`
}

// Names of the parts of a report, as [Report.Missing] has them.
const (
	PartLink      = "link"
	PartClock     = "clock"
	PartConntrack = "conntrack"
	PartLog       = "log"
	PartDisks     = "disks"
	PartRules     = "rules"
)

// Report is what was found. A part that could not be read is in Missing, with
// the reason.
type Report struct {
	At     time.Time `json:"at"` // by the node's clock, when it answered; UTC
	BootID string    `json:"bootID,omitempty"`

	Link    string            `json:"link,omitempty"`    // that has the address
	Network string            `json:"network,omitempty"` // that the address is in: "198.18.0.0/24"
	Packets uint64            `json:"packets,omitempty"` // sent and received since the link exists
	Errors  map[string]uint64 `json:"errors,omitempty"`  // counters of errors and drops since then that are not 0

	Clock     *Clock     `json:"clock,omitempty"`
	Conntrack *Conntrack `json:"conntrack,omitempty"`
	// Complaints are lines of the kernel's log that tell of trouble with
	// networks, memory, CPUs or clocks, newest last.
	Complaints []Complaint    `json:"complaints,omitempty"`
	Uptime     time.Duration  `json:"uptimeNs,omitempty"`
	Disks      []Disk         `json:"disks,omitempty"`
	Rules      map[string]int `json:"rules,omitempty"` // of iptables, by whom: see [CountRules]

	Missing map[string]string `json:"missing,omitempty"`
}

// Clock is what the kernel knows of its clock's discipline (adjtimex(2)).
type Clock struct {
	Synchronized bool `json:"synchronized"`
	// MaxError is the kernel's bound of the clock's error; it grows while nobody
	// disciplines the clock.
	MaxError time.Duration `json:"maxErrorNs"`
}

// Conntrack is the table of tracked connections of the node's own network.
type Conntrack struct {
	Entries uint64 `json:"entries"`
	Limit   uint64 `json:"limit"`
}

// Disk is a block device with something behind it.
type Disk struct {
	Name       string `json:"name"`
	Rotational bool   `json:"rotational"` // what the kernel says; virtual disks say anything
}
