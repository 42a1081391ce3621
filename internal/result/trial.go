package result

import "time"

// SchemaVersion names the layout of the results directory. Readers refuse a
// newer major version and ignore fields they do not know.
const SchemaVersion = "cnibench.io/result/v1"

// Status says what became of one attempt at a trial. Only an ok trial carries
// metrics that enter statistics.
type Status string

// What can become of an attempt.
const (
	OK          Status = "ok"
	Failed      Status = "failed"      // the measurement did not happen
	Invalid     Status = "invalid"     // it happened, but the environment spoilt it
	Unsupported Status = "unsupported" // this variant or machine cannot do it
)

// Better is the direction in which a metric improves.
type Better string

// The two directions.
const (
	Higher Better = "higher"
	Lower  Better = "lower"
)

// Scale says how two values of a metric are compared.
type Scale string

// The two scales.
const (
	Ratio      Scale = "ratio"      // as ln(B/A); values are positive
	Difference Scale = "difference" // as B − A; values may be zero or negative
)

// Metric declares a named number. Margin is the smallest effect of interest:
// a fraction (0.03 is 3 %) on the ratio scale, an amount in Unit on the
// difference scale. Group, where it is not empty, says what the metric is a
// detail of, such as "CPU by mode": reports show the details of one group
// together and fold them, unless a campaign declares one primary.
type Metric struct {
	Name   string  `json:"name"`
	Unit   string  `json:"unit"`
	Better Better  `json:"better"`
	Scale  Scale   `json:"scale"`
	Margin float64 `json:"margin"`
	Help   string  `json:"help,omitempty"`
	Group  string  `json:"group,omitempty"`
}

// Value is a metric as measured by one trial. Partial, when not empty, says
// what part of the quantity the value leaves out.
type Value struct {
	Metric
	Value   float64 `json:"value"`
	Partial string  `json:"partial,omitempty"`
}

// Window is the span of time that a trial's values describe, in UTC.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Trial is one line of the journal: one attempt to execute one scenario, with
// fixed parameters (a cell of the plan), on one variant in one block.
type Trial struct {
	Schema   string    `json:"schema"`
	Block    int       `json:"block"`    // from 1
	Position int       `json:"position"` // of the variant in its block, from 1
	Variant  string    `json:"variant"`
	Cell     string    `json:"cell"`
	Scenario string    `json:"scenario"`
	Attempt  int       `json:"attempt"` // from 1
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"` // never empty unless ok
	Start    time.Time `json:"start"`
	End      time.Time `json:"end"`
	// Window is nil when nothing was measured.
	Window *Window `json:"window,omitempty"`
	Values []Value `json:"values,omitempty"`
	// Missing says, by the name of a metric, why an ok trial lacks a value that
	// its scenario reports: what could not be measured is never 0.
	Missing map[string]string `json:"missing,omitempty"`
	// Marks are qualities of an ok trial that a reader must know, such as
	// "cpu-saturated" or "generator-limited".
	Marks []Mark `json:"marks,omitempty"`
	// Facts are observations that are no measurements: node names, congestion
	// control, versions, MTU.
	Facts map[string]string `json:"facts,omitempty"`
	// Conditions are what the machines went through in the window, by node;
	// nil when nobody watched.
	Conditions map[string]Condition `json:"conditions,omitempty"`
	// Voids is the attempt that this one takes back, because its whole block
	// was invalid; 0: none. Such an attempt measured nothing itself and has no
	// evidence of its own.
	Voids int `json:"voids,omitempty"`
	// Raw is the directory with the evidence, relative to the results directory.
	Raw string `json:"raw"`
}

// Condition is what a machine went through during a trial's window and what no
// variant makes it do. Rules that make a block invalid judge by it alone.
type Condition struct {
	// Steal is the share of the CPU time, from 0 to 1, that the hypervisor gave
	// to others while this machine wanted it.
	Steal float64 `json:"steal"`
	// ForeignCPU is the share of the CPU time that programs outside of
	// everything that runs for the cluster spent in user mode: what the kernel
	// does may be the datapath's. nil where control groups are not known.
	ForeignCPU *float64 `json:"foreignCPU,omitempty"`
	// ClockStep is the most by which the wall clock strayed from the monotonic
	// one, in seconds.
	ClockStep float64 `json:"clockStepSeconds"`
}

// LineLimited is the mark of a trial that filled the line between its nodes.
const LineLimited = "line-limited"

// Mark names a quality of a trial and explains it in one sentence.
type Mark struct {
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// Key identifies the planned trial that an attempt belongs to.
type Key struct {
	Block   int
	Variant string
	Cell    string
}

// Key returns the planned trial that t is an attempt at.
func (t Trial) Key() Key { return Key{t.Block, t.Variant, t.Cell} }

// Value returns the value of the named metric and whether the trial has it.
func (t Trial) Value(metric string) (Value, bool) {
	for _, v := range t.Values {
		if v.Name == metric {
			return v, true
		}
	}
	return Value{}, false
}
