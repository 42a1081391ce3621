package recording

import (
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Entry is a line of the file: one of its fields.
type Entry struct {
	Plan   *Plan          `json:"plan,omitempty"`
	Series *sample.Series `json:"series,omitempty"` // without samples, which follow
	Sample *sample.Sample `json:"sample,omitempty"`
	// Took is how long taking the sample took; it is with Sample.
	Took  time.Duration `json:"tookNs,omitempty"`
	Event *Event        `json:"event,omitempty"`
}

// Kind is what happened.
type Kind string

// What happens in a recording. Begin, Start and End carry the times of the
// samples that were taken for them.
const (
	Begin   Kind = "begin"   // sampling began; both ends at once
	Start   Kind = "start"   // right before the command was started
	End     Kind = "end"     // the command has ended
	Note    Kind = "note"    // something to tell the user
	Failure Kind = "failure" // what made the recording end
)

// Event is something that happened.
type Event struct {
	Kind Kind          `json:"kind"`
	At   time.Time     `json:"at"`     // UTC
	Mono time.Duration `json:"monoNs"` // CLOCK_MONOTONIC
	// Text is for the user, with what to do in Hint.
	Text string `json:"text,omitempty"`
	Hint string `json:"hint,omitempty"`
	// Meeting is with Begin, on machines that begin together.
	Meeting *Together `json:"meeting,omitempty"`
	// Command is with End.
	Command *Command `json:"command,omitempty"`
}

// Together is how two machines began.
type Together struct {
	ID    string `json:"id"`
	Other string `json:"other"` // the other end's address
	// Within bounds the difference between the moments that both ends agreed
	// on; Late is how much after its own this end began.
	Within time.Duration `json:"withinNs"`
	Late   time.Duration `json:"lateNs"`
}

// Command is how a command ended.
type Command struct {
	Status int    `json:"status"`           // 128 + the signal's number if one ended it
	Signal string `json:"signal,omitempty"` // that ended it, e.g. SIGINT
	// Stopped tells that the recorder ended it because the other end's command
	// had ended.
	Stopped       bool    `json:"stopped,omitempty"`
	UserSeconds   float64 `json:"userSeconds"` // with its descendants that it waited for
	SystemSeconds float64 `json:"systemSeconds"`
	MaxRSSBytes   int64   `json:"maxRssBytes"` // the largest single process among them
}
