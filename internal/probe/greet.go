package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// FrameGreeted answers each target of the command greet: [Greeted]. Its ready
// frame is empty.
const FrameGreeted = "greeted"

// GreetSpec says how a greeting goes on: with a connection of its own once in
// Interval, whether or not earlier ones have an answer yet, until one has sent
// a nonce and got it back.
type GreetSpec struct {
	Interval time.Duration `json:"intervalNs"`
	Timeout  time.Duration `json:"timeoutNs"` // of one connection; at most MaxWatchTimeout
	Limit    time.Duration `json:"limitNs"`   // of a target
}

// GreetTarget is a line on the stdin of a greeting.
type GreetTarget struct {
	Name    string `json:"name"`
	Address string `json:"address"` // IP:PORT, where TCP is echoed
}

// Greeted is what came of a target.
type Greeted struct {
	Name    string `json:"name"`
	Replied bool   `json:"replied"`
	// Attempts are the connections that were begun, and Took what it all took
	// in seconds of this program's clock, from when it knew of the target.
	Attempts int     `json:"attempts"`
	Took     float64 `json:"took"`
	// Last is why the newest connection with an outcome got no reply: one of
	// the Reach constants; empty where none failed.
	Last string `json:"last,omitempty"`
}

// Validate reports what makes s unusable.
func (s GreetSpec) Validate() error {
	if s.Interval <= 0 || s.Timeout <= 0 || s.Timeout > MaxWatchTimeout || s.Limit <= 0 {
		return fmt.Errorf("greet specification has the interval %v, the timeout %v and the limit %v: all must be positive, the timeout at most %v",
			s.Interval, s.Timeout, s.Limit, MaxWatchTimeout)
	}
	return nil
}

func (t GreetTarget) validate() error {
	if t.Name == "" {
		return errors.New("a target has no name")
	}
	if _, err := netip.ParseAddrPort(t.Address); err != nil {
		return fmt.Errorf("target %s: %w", t.Name, err)
	}
	return nil
}
