package sample

import "time"

// Fault is something that went wrong while sampling, between two moments.
type Fault struct {
	Since time.Time `json:"since"` // the last moment at which it was not there
	At    time.Time `json:"at"`    // when it was noticed
	Kind  string    `json:"kind"`
	// Figure is what it concerns, by the names of [Summary.Missing]; empty if
	// it is everything.
	Figure string `json:"figure,omitempty"`
	Detail string `json:"detail"`
}

// Kinds of faults.
const (
	// FaultGap means that samples are missing: the sampler was starved,
	// stopped, or the machine slept.
	FaultGap = "gap"
	// FaultClock means that the wall clock was set.
	FaultClock = "clock-step"
	// FaultReset means that a counter fell.
	FaultReset = "counter-reset"
	// FaultWrap means that a counter of few bits began anew at 0, and was
	// counted on.
	FaultWrap = "counter-wrap"
	// FaultCgroup means that a cgroup came, went or was replaced.
	FaultCgroup = "cgroup"
	// FaultUnreadable means that a file or a field of it is not there, or
	// cannot be understood.
	FaultUnreadable = "unreadable"
	// FaultCPU means that a CPU went on or off line.
	FaultCPU = "cpu"
	// FaultMore means that there were more faults than are listed.
	FaultMore = "more"
)

// touches tells whether the fault lies in w, if only partly.
func (f Fault) touches(w Window) bool { return !f.At.Before(w.Start) && !f.Since.After(w.End) }
