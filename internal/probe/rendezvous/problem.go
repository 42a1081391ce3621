package rendezvous

import (
	"fmt"
	"time"
)

// LateError is the other end's not coming.
type LateError struct {
	Waited time.Duration
	At     string // where it was awaited, or looked for
	Client bool   // this end is the client
	Err    error  // of the client's last try
}

func (e *LateError) Error() string {
	if e.Client {
		return fmt.Sprintf("no other end at %s within %v: %v", e.At, e.Waited, e.Err)
	}
	return fmt.Sprintf("no other end came to %s within %v", e.At, e.Waited)
}

func (e *LateError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *LateError) Hint() string {
	if e.Client {
		return "start `cnibench record --sync server` there, look whether a firewall lets its port through, or wait longer with --sync-timeout"
	}
	return "start `cnibench record --sync client=HOST` on the other machine, or wait longer with --sync-timeout"
}

// identityError is the ends' belonging to different measurements.
type identityError struct{ ours, theirs string }

func (e *identityError) Error() string {
	return fmt.Sprintf("this end's label id is %q, the other's is %q", e.ours, e.theirs)
}

// Hint says what to do.
func (e *identityError) Hint() string {
	return "give both ends the same --label id=…, or only one of them"
}
