package load

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/cnibench/cnibench/internal/probe"
)

// k6Script is what k6 runs, below a line that defines its constant load.
//
//go:embed k6.js
var k6Script string

// K6 is HTTP load by k6 at a fixed rate: requests begin on time, whether or
// not earlier ones have been answered, for as long as there are users.
type K6 struct {
	Targets []string // URLs, asked in turn
	Rate    int      // requests per second, all targets together
	// Users that may wait for an answer at once. Each keeps a connection of its
	// own to every target that it has asked.
	Users int
	// Duration counts after Omit. Both are whole milliseconds, as is Timeout, in
	// which a request must be answered.
	Duration, Omit, Timeout time.Duration
	// Host is the header of that name; empty: the URL's host.
	Host string
	// Foreign tells that the targets are no servers of ours: an answer is good
	// that has a status from 200 to 399, and what was seen is counted. Redirects
	// are not followed.
	Foreign bool
	// Hosts are addresses of names, in place of those of DNS.
	Hosts map[string]string
	// Insecure leaves certificates unchecked.
	Insecure bool
}

// k6Load is what the script reads.
type k6Load struct {
	Targets    []string `json:"targets"`
	Rate       int      `json:"rate"`
	Users      int      `json:"users"`
	DurationMS int64    `json:"durationMs"`
	OmitMS     int64    `json:"omitMs"`
	TimeoutMS  int64    `json:"timeoutMs"`

	Headers  map[string]string `json:"headers,omitempty"`
	Foreign  bool              `json:"foreign,omitempty"`
	Hosts    map[string]string `json:"hosts,omitempty"`
	Insecure bool              `json:"insecure,omitempty"`
}

// Process returns the command line and the script that goes with it.
func (k K6) Process() (probe.Process, error) {
	switch {
	case len(k.Targets) == 0:
		return probe.Process{}, errors.New("k6 has nothing to ask")
	case k.Rate < 1 || k.Users < 1:
		return probe.Process{}, fmt.Errorf("k6 cannot ask %d times a second by %d users", k.Rate, k.Users)
	case k.Duration < time.Millisecond || k.Omit < 0 || k.Timeout < time.Millisecond:
		return probe.Process{}, fmt.Errorf("k6 cannot load for %s after %s and wait %s for answers", k.Duration, k.Omit, k.Timeout)
	}
	spec := k6Load{
		Targets: k.Targets, Rate: k.Rate, Users: k.Users,
		DurationMS: k.Duration.Milliseconds(), OmitMS: k.Omit.Milliseconds(), TimeoutMS: k.Timeout.Milliseconds(),
		Foreign: k.Foreign, Hosts: k.Hosts, Insecure: k.Insecure,
	}
	if k.Host != "" {
		spec.Headers = map[string]string{"Host": k.Host}
	}
	load, err := json.Marshal(spec)
	if err != nil {
		return probe.Process{}, fmt.Errorf("writing k6's script: %w", err)
	}
	return probe.Process{
		// Without --address it would serve its own API on a port of the node's.
		Argv:  []string{"k6", "run", "--quiet", "--no-color", "--no-usage-report", "--address", "", "-"},
		Stdin: "const load = " + string(load) + ";\n" + k6Script,
	}, nil
}
