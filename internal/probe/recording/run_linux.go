package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/cnibench/cnibench/internal/probe/rendezvous"
	"github.com/cnibench/cnibench/internal/probe/sample"
)

// Exit statuses of commands that could not be run, as shells have them.
const (
	statusNotExecutable = 126
	statusSignal        = 128 // plus the signal's number
)

// patience is how long a command that is asked to end is given before it is
// asked in a harsher way.
const patience = 5 * time.Second

// Result is how a recording went.
type Result struct {
	// Status is the command's, or 1 if something else went wrong first.
	Status int
	// Lost says why entries are not in the file; empty if all are.
	Lost string
}

// run is a recording on its way. It belongs to one goroutine.
type run struct {
	plan    Plan
	out     *writer
	sampler *sample.Sampler
	signals chan os.Signal
	begin   time.Time
	last    *sample.Sample // the newest
	broken  string         // the sampler's last complaint
	meeting *rendezvous.Meeting

	child       *child
	result      Result
	interrupted bool // a signal asks to come to the end
	otherDone   bool
	over        bool
	edge        *time.Timer // of the phase
	harsher     *time.Timer // until the command is asked again to end
	asks        []syscall.Signal
}

// Run records what plan says and appends it to the file.
func Run(plan Plan, file *os.File) (Result, error) {
	r := &run{plan: plan, out: newWriter(file), signals: make(chan os.Signal, 8)}
	for _, s := range slices.Concat(ending, forwarded) {
		if !signal.Ignored(s) { // as nohup wants it
			signal.Notify(r.signals, s)
		}
	}
	defer signal.Stop(r.signals)
	var err error
	if r.sampler, err = sample.New(plan.sampling()); err != nil {
		return Result{}, err
	}
	defer r.sampler.Close()
	// The first sample opens files, which would make a start late.
	if _, err := r.sampler.Sample(); err != nil {
		return Result{}, err
	}
	r.record()
	if err := r.out.flush(); err != nil {
		r.result.Lost = fmt.Sprintf("%v; %d entries are lost", err, r.out.lost)
	}
	return r.result, nil
}

func (r *run) record() {
	series := r.sampler.Series()
	r.out.write(Entry{Series: &series})
	r.begin = time.Now()
	if r.plan.Sync != nil {
		if err := r.meet(); err != nil {
			r.fail(max(r.result.Status, 1), err)
			return
		}
		defer r.meeting.Close()
	}
	r.takeBegin()
	r.edge = time.NewTimer(time.Until(r.begin.Add(r.plan.Before)))
	r.harsher = time.NewTimer(time.Hour)
	r.harsher.Stop()
	r.loop()
}

// meet agrees with the other end on when to begin, and waits for that.
func (r *run) meet() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	heeded := make(chan os.Signal, 1)
	go func() {
		defer close(heeded)
		select {
		case s := <-r.signals:
			heeded <- s
			cancel(errors.New("interrupted while waiting for the other end"))
		case <-ctx.Done():
		}
	}()
	config := rendezvous.Config{ID: r.plan.ID, MadeUp: r.plan.MadeUp, Wait: r.plan.Sync.Wait, Note: r.tellNow}
	var err error
	if r.plan.Sync.Role == RoleServer {
		r.meeting, err = rendezvous.Serve(ctx, r.plan.Sync.Address, config)
	} else {
		r.meeting, err = rendezvous.Join(ctx, r.plan.Sync.Address, config)
	}
	cancel(nil)
	if s, interrupted := <-heeded; interrupted {
		r.result.Status = statusOf(s)
		if err == nil { // both happened at once
			r.meeting.Abort("interrupted")
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		return err
	}
	r.begin = r.meeting.Start
	time.Sleep(time.Until(r.begin))
	return nil
}

// tellNow speaks to the user who waits for the other end.
func (r *run) tellNow(text string) { _, _ = fmt.Fprintf(os.Stderr, "cnibench: note: %s\n", text) }

func (r *run) takeBegin() {
	late := max(time.Since(r.begin), 0)
	e := Event{Kind: Begin}
	if r.meeting != nil {
		e.Meeting = &Together{ID: r.meeting.ID, Other: r.meeting.Other, Within: r.meeting.Within, Late: late}
	}
	r.mark(e)
}

// loop goes on until the recording is over.
func (r *run) loop() {
	var news <-chan rendezvous.News
	if r.meeting != nil {
		news = r.meeting.News()
	}
	tick := time.NewTimer(time.Until(r.nextTick()))
	defer tick.Stop()
	for !r.over {
		select {
		case <-tick.C:
			if r.last == nil || time.Since(r.last.At) >= sample.MinInterval {
				r.take()
			}
			tick.Reset(time.Until(r.nextTick()))
		case <-r.edge.C:
			r.turn()
		case err := <-r.child.exited():
			r.commandEnded(err)
		case <-r.harsher.C:
			r.ask()
		case s := <-r.signals:
			r.signalled(s)
		case n := <-news:
			r.heard(n)
		}
	}
}

// nextTick is the next multiple of the interval since the beginning. Those
// that were missed are not made up for.
func (r *run) nextTick() time.Time {
	return r.begin.Add(time.Since(r.begin).Truncate(r.plan.Every) + r.plan.Every)
}

// turn ends the phase before the command, or the one after it.
func (r *run) turn() {
	if r.child != nil {
		if r.plan.After > 0 {
			r.take()
		}
		r.over = true
		return
	}
	if r.otherDone {
		r.fail(1, &hintedError{"the other end's command had ended before this one's was to begin",
			"give this end a shorter --before, or the other a longer one"})
		return
	}
	r.mark(Event{Kind: Start})
	child, err := startChild(r.plan.Path, r.plan.Argv)
	if err != nil {
		r.fail(statusNotExecutable, err)
		return
	}
	r.child = child
}

// commandEnded begins the phase after the command, unless somebody wants an
// end.
func (r *run) commandEnded(err error) {
	ended := r.child.collect(err)
	ended.Stopped = len(r.asks) > 0 && r.otherDone
	r.harsher.Stop()
	r.mark(Event{Kind: End, Command: &ended})
	if !ended.Stopped {
		r.result.Status = max(r.result.Status, ended.Status)
	}
	if r.meeting != nil {
		r.meeting.Done()
	}
	if r.interrupted {
		r.over = true
		return
	}
	r.edge.Reset(r.plan.After)
}

// take samples now. A sampler that fails leaves a gap, and a note if it
// failed otherwise before.
func (r *run) take() {
	began := time.Now()
	s, err := r.sampler.Sample()
	if err != nil {
		if text := err.Error(); text != r.broken {
			r.broken = text
			r.out.write(Entry{Event: r.now(Event{Kind: Note, Text: "no sample: " + text})})
		}
		return
	}
	r.last = &s
	r.out.write(Entry{Sample: &s, Took: time.Since(began)})
}

// mark takes a sample and writes an event of the same time.
func (r *run) mark(e Event) {
	before := r.last
	r.take()
	if r.last != before {
		e.At, e.Mono = r.last.At, r.last.Mono
		r.out.write(Entry{Event: &e})
		return
	}
	r.out.write(Entry{Event: r.now(e)})
}

// fail ends the recording for a reason.
func (r *run) fail(status int, err error) {
	e := Event{Kind: Failure, Text: err.Error()}
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		e.Hint = hinted.Hint()
	}
	r.out.write(Entry{Event: r.now(e)})
	r.result.Status = status
	if r.meeting != nil {
		r.meeting.Abort(err.Error())
	}
	r.over = true
}

// hintedError is an error with what to do.
type hintedError struct{ text, hint string }

func (e *hintedError) Error() string { return e.text }

// Hint says what to do.
func (e *hintedError) Hint() string { return e.hint }
