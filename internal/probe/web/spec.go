package web

import (
	"errors"
	"fmt"
	"time"
)

// maxBody bounds what the server keeps in memory, in bytes.
const maxBody = 64 << 20

// Spec says what a server answers.
type Spec struct {
	Port      int `json:"port"`      // of TCP; 0 takes a free one
	BodyBytes int `json:"bodyBytes"` // of every answer
	// Delay is how long every answer is held back.
	Delay time.Duration `json:"delayNs,omitempty"`
	// Pause is how long, at the end of every period of length Every, nobody is
	// answered; requests and connections are taken all the while.
	Pause time.Duration `json:"pauseNs,omitempty"`
	Every time.Duration `json:"everyNs,omitempty"`
}

// Validate reports what makes s unusable.
func (s Spec) Validate() error {
	switch {
	case s.Port < 0 || s.Port > 65535:
		return fmt.Errorf("the server is to listen on %d, which is no TCP port", s.Port)
	case s.BodyBytes < 0 || s.BodyBytes > maxBody:
		return fmt.Errorf("answers of %d bytes: want 0 to %d", s.BodyBytes, maxBody)
	case s.Delay < 0 || s.Pause < 0 || s.Every < 0:
		return errors.New("answers cannot be given before their requests: delay and pause must not be negative")
	case s.Pause > 0 && s.Pause >= s.Every:
		return fmt.Errorf("a pause of %s in every %s leaves no time to answer", s.Pause, s.Every)
	}
	return nil
}

// hold is how long an answer waits whose request came at a time since the
// server began to serve: the delay, and from there to the end of a pause that
// it falls into.
func (s Spec) hold(since time.Duration) time.Duration {
	if s.Pause == 0 {
		return s.Delay
	}
	left := s.Every - (since+s.Delay)%s.Every // of the period
	if left > s.Pause {
		return s.Delay
	}
	return s.Delay + left
}

// Ready is the payload of the frame that says the server serves.
type Ready struct {
	Port int `json:"port"`
}

// Report is what a server saw in its life.
type Report struct {
	Requests int64 `json:"requests"` // answered
	// Connections are counted by the User-Agent of their first request, which
	// is how load generators tell their version.
	Connections map[string]int64 `json:"connections"`
	// Refused are connections on which something else than a request came,
	// by what was wrong.
	Refused map[string]int64 `json:"refused,omitempty"`
}
