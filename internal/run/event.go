package run

import (
	"time"

	"github.com/cnibench/cnibench/internal/result"
)

// Event is something that happened during a run, for people and programs who
// watch. Kind says which of the other fields are set.
type Event struct {
	Kind    Kind          `json:"event"`
	At      time.Time     `json:"at"`
	Variant string        `json:"variant,omitempty"`
	Step    string        `json:"step,omitempty"` // what is done or waited for
	Trial   *result.Trial `json:"trial,omitempty"`
	Block   int           `json:"block,omitempty"`
	// Done of Total planned trials have an attempt that decides them.
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Kind is the kind of an event.
type Kind string

// The kinds of events, each with the fields that it sets.
const (
	StepBegun  Kind = "step"    // Variant, Step
	TrialBegun Kind = "measure" // Trial, without its result
	TrialEnded Kind = "trial"   // Trial, as journaled
	Troubled   Kind = "trouble" // Variant, Step: what went wrong and is no trial's fault

	BlockRepeated Kind = "repeat"  // Block, Step: why it is invalid and measured again
	BlockDropped  Kind = "drop"    // Block, Step: why it is invalid, again
	Stopped       Kind = "stopped" // Block, Step: why no blocks after it are needed
)

func (r *Runner) emit(e Event) {
	e.At, e.Done, e.Total = time.Now().UTC(), r.total-len(r.open), r.total
	r.Events(e)
}

func (r *Runner) step(variant string) func(string) {
	return func(step string) { r.emit(Event{Kind: StepBegun, Variant: variant, Step: step}) }
}
