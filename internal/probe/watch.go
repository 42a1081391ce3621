package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Networks that a watch and a listener know.
const (
	NetworkTCP  = "tcp"
	NetworkUDP  = "udp"
	NetworkSCTP = "sctp"
	// NetworkHTTP is a GET request over TCP, reached with status 200.
	NetworkHTTP = "http"
)

// Reached is the outcome of an attempt that got through; every other outcome
// is one of the Reach constants.
const Reached = "reached"

// MaxWatchTimeout bounds what an attempt may take. Linux sends an unanswered
// SYN again after 1 s (RFC 6298, section 2.1): within less, an attempt is one
// packet, and its outcome belongs to the moment at which it began.
const MaxWatchTimeout = 900 * time.Millisecond

// WatchSpec says what a watch tries to reach: every target once in Interval,
// by a connection of its own from a port of its own, whether or not earlier
// attempts have an answer yet. UDP targets must echo.
type WatchSpec struct {
	Targets  []WatchTarget `json:"targets"`
	Interval time.Duration `json:"intervalNs"`
	Timeout  time.Duration `json:"timeoutNs"` // of one attempt; at most MaxWatchTimeout
	// OnDemand leaves targets alone that nobody awaits.
	OnDemand bool `json:"onDemand,omitempty"`
	// Await is what a watch that has no caller waits for before it writes its
	// report.
	Await *WatchAwait `json:"await,omitempty"`
}

// WatchTarget is one address to be tried.
type WatchTarget struct {
	Name    string `json:"name"`
	Network string `json:"network"`        // tcp, udp, sctp or http
	Address string `json:"address"`        // IP:PORT
	Path    string `json:"path,omitempty"` // of http: "/"
}

// WatchCommand is a line on the stdin of a watch, answered by one frame.
type WatchCommand struct {
	// Targets are tried from now on, as those of the specification are: for
	// addresses that nobody knew before. They stand beside an await.
	Targets []WatchTarget `json:"targets,omitempty"`
	Await   *WatchAwait   `json:"await,omitempty"` // answered by [Watched]
	Clock   bool          `json:"clock,omitempty"` // answered by [WatchClock]
}

// WatchAwait says what to wait for: that the last Settle attempts at every
// target of Want, begun since the command, were reached or not.
type WatchAwait struct {
	Want   map[string]bool `json:"want"` // by target: true for reached
	Settle int             `json:"settle"`
	Limit  time.Duration   `json:"limitNs"`
	// Retire leaves targets alone that have settled once, for sweeps over
	// many. Otherwise all must hold at the same time.
	Retire bool `json:"retire,omitempty"`
}

// WatchReady is the payload of the frame that says that a watch has begun.
type WatchReady struct {
	// BootID tells one running kernel from all others: programs that see the
	// same one have the same clock.
	BootID string `json:"bootId"`
}

// WatchClock is the time of the watch's clock.
type WatchClock struct {
	Now time.Time `json:"now"`
}

// Watched are the attempts since the frame before, in the order in which they
// began, and the last one of that frame. Attempts without an outcome yet, and
// those after them, belong to the next frame.
type Watched struct {
	Start    time.Time            `json:"start"` // of the watch, UTC
	Settled  bool                 `json:"settled"`
	Attempts map[string][]Attempt `json:"attempts"` // by target
}

// Attempt is one try to reach a target.
type Attempt struct {
	At      float64 `json:"at"`      // seconds since the watch's start, before the first packet was sent
	Sent    float64 `json:"sent"`    // likewise, after that; much later where the program had to wait for a CPU
	Took    float64 `json:"took"`    // seconds from At until the outcome was known
	Outcome string  `json:"outcome"` // Reached or one of the Reach constants
}

// OK tells whether the attempt got through.
func (a Attempt) OK() bool { return a.Outcome == Reached }

// Validate reports what makes s unusable.
func (s WatchSpec) Validate() error {
	if len(s.Targets) == 0 {
		return errors.New("watch specification has no targets")
	}
	if s.Interval <= 0 || s.Timeout <= 0 || s.Timeout > MaxWatchTimeout {
		return fmt.Errorf("watch specification has the interval %v and the timeout %v: both must be positive, the timeout at most %v", s.Interval, s.Timeout, MaxWatchTimeout)
	}
	names := map[string]bool{}
	if err := validateTargets(s.Targets, names); err != nil {
		return err
	}
	if s.Await != nil {
		return s.Await.validate(names)
	}
	return nil
}

// validateTargets judges targets beside others with the names that are taken,
// and adds theirs.
func validateTargets(targets []WatchTarget, taken map[string]bool) error {
	for _, t := range targets {
		if t.Name == "" || taken[t.Name] {
			return fmt.Errorf("watch specification has a target %q without a name of its own", t.Name)
		}
		taken[t.Name] = true
		if !slices.Contains([]string{NetworkTCP, NetworkUDP, NetworkSCTP, NetworkHTTP}, t.Network) {
			return fmt.Errorf("watch target %s has the network %q, which is none of tcp, udp, sctp, http", t.Name, t.Network)
		}
		if _, err := netip.ParseAddrPort(t.Address); err != nil {
			return fmt.Errorf("watch target %s: %w", t.Name, err)
		}
	}
	return nil
}

func (a WatchAwait) validate(targets map[string]bool) error {
	if len(a.Want) == 0 || a.Settle < 1 || a.Limit <= 0 {
		return errors.New("a watch awaits nothing: it needs want, settle and limitNs")
	}
	for name := range a.Want {
		if !targets[name] {
			return fmt.Errorf("a watch awaits the target %q, which it does not have", name)
		}
	}
	return nil
}

// Settled tells whether the last n attempts, of those that began at or after
// since seconds, all were reached, or all were not.
func Settled(attempts []Attempt, reached bool, n int, since float64) bool {
	if len(attempts) < n {
		return false
	}
	for _, a := range attempts[len(attempts)-n:] {
		if a.OK() != reached || a.At < since {
			return false
		}
	}
	return true
}
