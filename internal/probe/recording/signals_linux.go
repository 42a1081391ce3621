package recording

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/rendezvous"
)

// ending are the signals that ask to come to the end, forwarded those that
// mean the command alone.
var (
	ending    = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	forwarded = []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2}
)

func statusOf(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return statusSignal + int(n)
	}
	return 1
}

// signalled passes a signal on to the command and, without one, ends the
// recording.
func (r *run) signalled(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok {
		return
	}
	means := number != syscall.SIGUSR1 && number != syscall.SIGUSR2
	r.interrupted = r.interrupted || means
	switch {
	case r.child.running():
		// Who presses Ctrl-C at a terminal signals all of its foreground, the
		// command included. Twice would be too much for some.
		if typed := number == syscall.SIGINT || number == syscall.SIGQUIT; !typed || !inForeground() {
			r.child.signal(number)
		}
	case means && r.child == nil:
		r.fail(statusOf(s), &hintedError{"interrupted before the command was started", ""})
	case means:
		r.take()
		r.over = true
	}
}

// inForeground tells whether this process belongs to its terminal's
// foreground.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false // no terminal
	}
	defer func() { _ = tty.Close() }() // nothing was written
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// heard acts on what became of the other end.
func (r *run) heard(n rendezvous.News) {
	if n.Done {
		r.otherDone = true
	}
	serves := r.plan.Sync.Role == RoleServer && !r.plan.Sync.StartOnly
	switch {
	case n.Done && serves && r.child.running():
		r.askToEnd()
	case n.Done, r.otherDone:
		// It said so before it went.
	case r.child == nil:
		r.fail(1, otherEnd(n))
	default:
		r.out.write(Entry{Event: r.now(Event{Kind: Note, Text: otherEnd(n).text})})
		if serves && r.child.running() {
			r.result.Status = 1
			r.askToEnd()
		}
	}
}

func otherEnd(n rendezvous.News) *hintedError {
	text := "the other end is gone"
	if n.Aborted {
		text = "the other end gave up"
	}
	if n.Reason != "" {
		text += ": " + n.Reason
	}
	return &hintedError{text, "see what it says on its own machine"}
}

// askToEnd asks the command to end, in a harsher way each time it does not.
func (r *run) askToEnd() {
	if len(r.asks) == 0 {
		r.ask()
	}
}

func (r *run) ask() {
	ways := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
	way := ways[min(len(r.asks), len(ways)-1)]
	r.asks = append(r.asks, way)
	r.child.signal(way)
	r.harsher.Reset(patience)
}

// now gives an event this moment's times.
func (r *run) now(e Event) *Event {
	var mono unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &mono); err == nil {
		e.Mono = time.Duration(mono.Nano())
	}
	e.At = time.Now().Round(0).UTC()
	return &e
}
