package pace

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Calls is the kind of request that a library makes: the program that runs the
// client says what a call is.
const Calls Kind = "calls"

// Call makes one call on a connection, of those that Spec has, and returns when
// its answer is complete. Its error is why there is none, in few words: calls
// that failed are counted by it.
type Call func(ctx context.Context, slot int) error

// RunCalls makes the calls of spec, whose kind is [Calls], each in a goroutine
// of its own, and returns what became of them, when all are answered or given
// up. It fails like [Run]. Report.Busy is the share of all CPUs that Go may use,
// because such a client has more than one thread.
func RunCalls(ctx context.Context, spec Spec, call Call) (Report, error) {
	if spec.Kind != Calls {
		return Report{}, fmt.Errorf("pace: kind %q is not of calls", spec.Kind)
	}
	if err := spec.Validate(); err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newClient(spec)
	w := &calls{ctx: ctx, began: time.Now(), call: call, timeout: spec.Timeout, sink: c, events: make(chan func(), eventsWaiting), open: map[uint64]context.CancelFunc{}}
	err := c.run(w)
	cancel()
	w.all.Wait()
	if err != nil {
		return Report{}, fmt.Errorf("pace: %w", err)
	}
	report := c.report(w.began)
	report.Address = spec.Target
	return report, nil
}

// eventsWaiting is how many events may wait until the client looks. They bear
// the time at which they happened, so that a late look costs nothing.
const eventsWaiting = 1024

// calls is the wire of [Calls].
type calls struct {
	ctx     context.Context //nolint:containedctx // of the run, as long as the wire lives
	began   time.Time
	call    Call
	timeout time.Duration
	sink    sink
	events  chan func() // what happened, to be told to the sink by the client's goroutine
	open    map[uint64]context.CancelFunc
	all     sync.WaitGroup
}

func (c *calls) now() time.Duration { return time.Since(c.began) }

// cpu is the process's, shared out over the CPUs that it may use.
func (c *calls) cpu() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0 // only a wrong argument is an error
	}
	return time.Duration(unix.TimevalToNsec(usage.Utime)+unix.TimevalToNsec(usage.Stime)) / time.Duration(runtime.GOMAXPROCS(0))
}

func (c *calls) send(n uint64, slot int) error {
	// The ledger gives a request up by itself; this ends what waits for it.
	ctx, cancel := context.WithTimeout(c.ctx, 2*c.timeout)
	c.open[n] = cancel
	c.all.Go(func() {
		defer cancel()
		at := c.now()
		if !c.tell(func() { c.sink.sent(n, at) }) {
			return
		}
		err := c.call(ctx, slot)
		at = c.now()
		c.tell(func() {
			delete(c.open, n)
			if err != nil {
				c.sink.failed(n, err.Error())
				return
			}
			c.sink.answered(n, at)
		})
	})
	return nil
}

// tell hands an event to the client, unless that has ended.
func (c *calls) tell(event func()) bool {
	select {
	case c.events <- event:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// abandon ends the call of a request that timed out, and with it, over HTTP/2
// and HTTP/3, its stream alone.
func (c *calls) abandon(n uint64) {
	if cancel, ok := c.open[n]; ok {
		cancel()
	}
}

func (c *calls) wait(until time.Duration) error {
	var clock <-chan time.Time
	if until != never {
		timer := time.NewTimer(until - c.now())
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case event := <-c.events:
		event()
	case <-clock:
	case <-c.ctx.Done():
		return errors.Join(errEnded, context.Cause(c.ctx))
	}
	for {
		select {
		case event := <-c.events:
			event()
		default:
			return nil
		}
	}
}

var errEnded = errors.New("the client was ended")
