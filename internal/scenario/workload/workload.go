package workload

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/result"
)

// The version and kind of document that this package reads.
const (
	APIVersion = "cnibench.io/v1alpha1"
	Kind       = "Scenario"
)

// Dir is the directory of pods that holds the workload's files.
const Dir = probe.LoadDir

// Workload is a scenario that a user defines.
type Workload struct {
	Name, Title, Description string
	// Image is what both pods run; empty: the tools image of the campaign.
	Image      string
	Files      []File
	Parameters []parameter.Parameter
	Requires   []string // of Requirements
	// Server is nil for a client that needs none.
	Server *Server
	Client Client
	// Window says when the measurement began and ended where the client's
	// output tells it. Nil, it is the client's life but for the parameter omit.
	Window *Window
	Values []Value // at least one, the primary one first
	Facts  []Fact
	// Expected is how long the client takes where no parameter says it.
	Expected time.Duration
	// Digest is "sha256:…" of all of this.
	Digest string
}

// Requirements are what a workload may need of a variant or its cluster.
var Requirements = []string{"policy", "l7", "services", "dns", "k6"}

// File is one that is written into both pods, below Dir, before the start.
type File struct {
	Name       string
	Executable bool
	Content    []byte
}

// Server is what runs in the server's pod from before the client's start.
type Server struct {
	Command []string
	// Listen holds consecutive ports that the server serves by TCP: the client
	// starts when it does. With UDP, Services carry UDP on them, too.
	Listen []int
	UDP    bool
}

// Client is what runs in the client's pod; its life is the trial's.
type Client struct{ Command []string }

// Window is the span of the measurement as the client's output tells it: Unix
// seconds, or RFC 3339.
type Window struct{ Start, End Source }

// Value is a figure in the client's output.
type Value struct {
	Metric result.Metric
	Source Source
	// Factor makes the metric's unit of what the output has.
	Factor float64
}

// Fact is a word in the client's output that a reader of results must know,
// such as a version.
type Fact struct {
	Name   string
	Source Source
}

// Duration returns how long a trial takes, apart from what all trials need.
func (w Workload) Duration(v parameter.Values) time.Duration {
	if w.Expected > 0 {
		return w.Expected
	}
	return w.Omit(v) + v.Duration(durationName)
}

// Omit returns the warm-up at the start of the client's life.
func (w Workload) Omit(v parameter.Values) time.Duration {
	if !v.Has(omitName) {
		return 0
	}
	return v.Duration(omitName)
}

// Parameters that mean the same in all scenarios.
const (
	durationName = "duration"
	omitName     = "omit"
)

// seal returns the workload with its digest.
func (w Workload) seal() (Workload, error) {
	w.Digest = ""
	text, err := json.Marshal(w)
	if err != nil {
		return w, fmt.Errorf("making a digest of scenario %s: %w", w.Name, err)
	}
	w.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	return w, nil
}
