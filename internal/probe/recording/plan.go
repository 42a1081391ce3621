package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Version is that of the file of a recording.
const Version = 1

// Plan says what to record. It is the first line of the file.
type Plan struct {
	Version int `json:"version"`
	// Path is the program and Argv its command line, its name included.
	Path string   `json:"path"`
	Argv []string `json:"argv"`
	// Every is the time between samples, Before and After how long is sampled
	// around the command.
	Every  time.Duration `json:"everyNs"`
	Before time.Duration `json:"beforeNs"`
	After  time.Duration `json:"afterNs"`
	// Sources is what is read besides CPU times, as in [sample.Spec]; empty:
	// everything.
	Sources []string `json:"sources,omitempty"`
	// ID names the recording; both ends have the same. MadeUp tells that
	// nobody chose it.
	ID     string `json:"id"`
	MadeUp bool   `json:"madeUp,omitempty"`
	// Sync is nil for a machine alone.
	Sync *Sync `json:"sync,omitempty"`
	// Finish is what the recorder becomes at the end; two more arguments
	// follow, the exit status and why entries were lost, if any were.
	Finish Program `json:"finish"`
	// Export is what the caller wants of the recording; it goes unread here.
	Export json.RawMessage `json:"export,omitempty"`
}

// Program is an executable and its command line, its name included.
type Program struct {
	Path string   `json:"path"`
	Argv []string `json:"argv"`
}

// The roles of the machines that begin together.
const (
	RoleAlone  = "standalone"
	RoleServer = "server"
	RoleClient = "client"
)

// Sync is how this machine and another begin together.
type Sync struct {
	Role    string        `json:"role"`    // RoleServer or RoleClient
	Address string        `json:"address"` // HOST:PORT to listen at or to meet
	Wait    time.Duration `json:"waitNs"`  // for the other end
	// StartOnly leaves the server's command running when the client's ended.
	StartOnly bool `json:"startOnly,omitempty"`
}

// Role is what this machine is among those that begin together.
func (p Plan) Role() string {
	if p.Sync == nil {
		return RoleAlone
	}
	return p.Sync.Role
}

// longest bounds times, so that sums of them do not overflow.
const longest = 365 * 24 * time.Hour

// Validate reports what cannot be recorded.
func (p Plan) Validate() error {
	switch {
	case p.Version != Version:
		return fmt.Errorf("the recording has version %d, this program reads version %d", p.Version, Version)
	case p.Path == "" || len(p.Argv) == 0:
		return errors.New("there is no command to record")
	case p.Before < 0 || p.After < 0 || p.Before > longest || p.After > longest || p.Every > longest:
		return errors.New("times to record must be between nothing and a year")
	case p.Sync != nil && p.Sync.Role != RoleServer && p.Sync.Role != RoleClient:
		return fmt.Errorf("there is no role %q", p.Sync.Role)
	case p.Sync != nil && p.Sync.Wait <= 0:
		return errors.New("the other end must be given time to come")
	}
	return p.sampling().Validate()
}

// sampling is what the sampler is to do.
func (p Plan) sampling() sample.Spec { return sample.Spec{Interval: p.Every, Only: p.Sources} }
