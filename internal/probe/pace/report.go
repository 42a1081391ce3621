package pace

import (
	"fmt"
	"time"
)

// Report is what a client measured. A request counts when its intended time
// lies in the window; where the loop is closed, a request is intended when its
// connection is free.
type Report struct {
	Address string    `json:"address"` // that the target was resolved to
	Closed  bool      `json:"closed"`  // the loop
	Start   time.Time `json:"start"`   // of the window, UTC
	End     time.Time `json:"end"`
	Counts  Counts    `json:"counts"`
	// Response is the time from the intended sending to the end of the answer.
	Response Distribution `json:"response"`
	// Service is the time from the real sending; for TCPCRR, from the start of
	// the connection.
	Service Distribution `json:"service"`
	// Connect is the time from the start of a connection until it stood; only
	// for TCPCRR.
	Connect Distribution `json:"connect"`
	// Lateness is the time from the intended sending until the client tried to.
	Lateness Distribution `json:"lateness"`
	// LateFrom is the lateness from which on a sending counts as late.
	LateFrom time.Duration `json:"lateFromNs"`
	// Busy is the share of the window, 0 to 1, that the client's one thread was
	// on a CPU.
	Busy float64 `json:"busy"`
	// CongestionControl is what the first connection's socket said; empty for
	// UDP.
	CongestionControl string `json:"congestionControl,omitempty"`
}

// Counts are numbers of requests. Intended = Answered + TimedOut + the sum of
// Failed; TimedOut = AnsweredLate + Lost.
type Counts struct {
	Intended     int64            `json:"intended"`
	Sent         int64            `json:"sent"` // whole, to the kernel
	Answered     int64            `json:"answered"`
	TimedOut     int64            `json:"timedOut"`
	AnsweredLate int64            `json:"answeredLate"`     // after the timeout
	Lost         int64            `json:"lost"`             // never answered while the client ran
	Failed       map[string]int64 `json:"failed,omitempty"` // by reason
	// Answers are those to DNS questions by what they said, such as NXDOMAIN,
	// expected or not.
	Answers   map[string]int64 `json:"answers,omitempty"`
	LateSends int64            `json:"lateSends"`
	Unsent    int64            `json:"unsent"` // the client never got to it: part of TimedOut
	// Strays are answers that belong to no open request: duplicates and what
	// cannot be read. They count in the warm-up, too.
	Strays int64 `json:"strays"`
	// Refused counts what hosts said of datagrams that nobody took. Which
	// request it was is not known, so each of those also times out.
	Refused int64 `json:"refused,omitempty"`
}

// Missing returns how many requests have no answer.
func (c Counts) Missing() int64 { return c.Intended - c.Answered }

// Bounds of a generator that keeps up, as in docs/methodology.md: a late
// sender, or a thread that has nothing left, measures itself.
const (
	maxLateShare = 0.05
	maxBusy      = 0.95
	// lateAtMost bounds the lateness that goes unmarked where requests are far
	// apart.
	lateAtMost = time.Millisecond
)

// lateFrom returns the lateness from which on a sending is late: one gap, and
// no more than a millisecond. A closed loop is never late.
func lateFrom(rate float64) time.Duration {
	if rate == 0 {
		return longest
	}
	return min(time.Duration(1e9/rate), lateAtMost)
}

// Limits returns the reasons why the client, and not what it measured, decided
// the figures; none is as it should be.
func (r Report) Limits() []string {
	var limits []string
	if r.Counts.Unsent > 0 {
		limits = append(limits, fmt.Sprintf("%d of %d requests were never sent", r.Counts.Unsent, r.Counts.Intended))
	}
	if share := float64(r.Counts.LateSends) / float64(max(r.Counts.Intended, 1)); share > maxLateShare {
		limits = append(limits, fmt.Sprintf("%.0f %% of the requests were sent more than %v late", 100*share, r.LateFrom))
	}
	if r.Busy > maxBusy {
		limits = append(limits, fmt.Sprintf("the client's thread was %.0f %% busy", 100*r.Busy))
	}
	return limits
}

// Ready says that a server can be used.
type Ready struct {
	Port int `json:"port"`
}

// Served is what a server did.
type Served struct {
	Requests int64 `json:"requests"`
	Pauses   int64 `json:"pauses"`
	// Busy is the share, 0 to 1, of the time from the first request to the
	// last that the server's one thread was on a CPU.
	Busy              float64 `json:"busy"`
	CongestionControl string  `json:"congestionControl,omitempty"`
}

// Limits returns the reasons why the server's program, and not what is between
// it and the client, decided the figures.
func (s Served) Limits() []string {
	if s.Busy > maxBusy {
		return []string{fmt.Sprintf("the server's thread was %.0f %% busy", 100*s.Busy)}
	}
	return nil
}
