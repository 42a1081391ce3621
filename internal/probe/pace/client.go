package pace

import (
	"fmt"
	"time"
)

// wire is the client's connections and its clock. It calls back what becomes
// of the requests. Times count from the start of the client.
type wire interface {
	now() time.Duration
	// cpu is the CPU time of the client's thread so far.
	cpu() time.Duration
	// send hands over request n, on a connection where there are several.
	send(n uint64, slot int) error
	// abandon says that nobody waits for the answer any more.
	abandon(n uint64)
	// wait reports what has happened, or waits for something to happen, until
	// the given time at the latest.
	wait(until time.Duration) error
}

const (
	// primeLimit is how long the target may take to answer at all, before the
	// clock starts.
	primeLimit = 10 * time.Second
	// primeAgain is when a question before the clock starts is repeated.
	primeAgain = 500 * time.Millisecond
	// burst is how many requests are sent before answers are looked at, when
	// many are due.
	burst = 32
)

// sink learns what becomes of requests.
type sink interface {
	// sent: request n went to the kernel, beginning at the given time.
	sent(n uint64, at time.Duration)
	// connected: the connection of request n stands.
	connected(n uint64, at time.Duration)
	// said: what the answer to request n says, before it is answered or failed.
	said(n uint64, what string)
	// answered: the answer to request n is complete.
	answered(n uint64, at time.Duration)
	// failed: request n ended without an answer.
	failed(n uint64, reason string)
	// stray: something came that answers no request.
	stray()
	// refused: a host said that nobody takes datagrams there.
	refused()
}

// client sends requests at their times. It is the sink of its wire.
type client struct {
	spec Spec
	wire wire
	*ledger
	schedule *schedule     // nil in a closed loop
	start    time.Duration // of the load, warm-up included
	due      time.Duration // the next request in an open loop
	number   uint64        // of requests in an open loop
	idle     []int         // connections without a request, in a closed loop
	primed   bool          // the answer to a question before the clock has come
	trouble  string        // why it has not, as far as known
	busy     time.Duration // CPU time in the window
}

func newClient(spec Spec) *client {
	c := &client{spec: spec, ledger: newLedger(spec.Timeout, lateFrom(spec.Rate))}
	if !spec.closed() {
		c.schedule = newSchedule(spec.Rate, spec.Gaps, spec.Seed)
	}
	return c
}

// run does the whole load over w. It returns early when w fails.
func (c *client) run(w wire) error {
	c.wire = w
	for slot := range c.spec.Connections {
		if err := c.prime(slot); err != nil {
			return err
		}
	}
	c.begin(w.now())
	opened, closed := false, false
	for {
		now := w.now()
		if !opened && now >= c.from {
			c.busy, opened = w.cpu(), true
		}
		if !closed && now >= c.to {
			c.busy, closed = w.cpu()-c.busy, true
		}
		c.expire(now, c.gone)
		next, err := c.sendDue(now)
		if err != nil {
			return err
		}
		if closed && next == never && c.pending == 0 {
			return nil
		}
		for _, edge := range []time.Duration{c.from, c.to} {
			if now < edge {
				next = min(next, edge)
			}
		}
		if err := w.wait(min(next, c.expiry())); err != nil {
			return err
		}
	}
}

// prime has one request answered on a connection, so that the first that is
// measured finds neighbours resolved and the path known.
func (c *client) prime(slot int) error {
	c.primed, c.trouble = false, "no answer"
	limit := c.wire.now() + primeLimit
	for !c.primed {
		now := c.wire.now()
		if now >= limit {
			return fmt.Errorf("%s: %s for %v, before the load began", c.spec.Target, c.trouble, primeLimit)
		}
		if err := c.sendNow(now, slot); err != nil {
			return err
		}
		again := min(now+primeAgain, limit)
		for !c.primed && c.wire.now() < again {
			if err := c.wire.wait(again); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin sets the window and forgets what came before.
func (c *client) begin(now time.Duration) {
	l := newLedger(c.spec.Timeout, c.lateFrom)
	l.first = c.first + uint64(c.open.len())
	c.start = now
	l.from = now + c.spec.Omit
	l.to = l.from + c.spec.Duration
	c.ledger = l
	if c.schedule != nil {
		c.due = c.start + c.schedule.next()
		return
	}
	c.idle = c.idle[:0] // priming freed some
	for slot := range c.spec.Connections {
		c.idle = append(c.idle, slot)
	}
}

// sendDue sends what is due and returns when the next request is.
func (c *client) sendDue(now time.Duration) (time.Duration, error) {
	if c.schedule == nil {
		return never, c.sendIdle(now)
	}
	for range burst {
		if c.due >= c.to {
			return never, nil
		}
		if c.due > now {
			return c.due, nil
		}
		n := c.intend(c.due, 0)
		c.due = c.start + c.schedule.next()
		// What is hopelessly late is not sent any more: it would load what is
		// measured after the window.
		if now >= c.to+c.spec.Timeout {
			continue
		}
		at := c.wire.now()
		c.started(n, at)
		slot := int(c.number % uint64(c.spec.Connections))
		c.number++
		if err := c.wire.send(n, slot); err != nil {
			return 0, err
		}
	}
	return now, nil
}

// sendIdle sends a request on each connection that has none.
func (c *client) sendIdle(now time.Duration) error {
	// Not until none is left: one that fails at once is free again at once.
	for range len(c.idle) {
		if now >= c.to {
			return nil
		}
		last := len(c.idle) - 1
		slot := c.idle[last]
		c.idle = c.idle[:last]
		if err := c.sendNow(c.wire.now(), slot); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) sendNow(now time.Duration, slot int) error {
	n := c.intend(now, slot)
	c.started(n, now)
	return c.wire.send(n, slot)
}

// gone ends a request that nobody answered in time. A stream that owes an
// answer cannot take another request in a closed loop.
func (c *client) gone(n uint64, slot int) {
	c.wire.abandon(n)
	if c.spec.Kind != TCPRR {
		c.free(slot)
	}
}

func (c *client) free(slot int) {
	if c.schedule == nil {
		c.idle = append(c.idle, slot)
	}
}

func (c *client) answered(n uint64, at time.Duration) {
	slot, what := c.ledger.answered(n, at)
	if what == toOpen || what == toExpired && c.spec.Kind == TCPRR {
		c.primed = true
		c.free(slot)
	}
}

func (c *client) failed(n uint64, reason string) {
	if slot, known := c.ledger.failed(n, reason); known {
		c.trouble = reason
		c.free(slot)
	}
}

func (c *client) stray() { c.counts.Strays++ }

func (c *client) refused() {
	c.counts.Refused++
	c.trouble = "refused"
}

// report returns the accounts of a load that has ended, when the client's clock
// began at the given time.
func (c *client) report(began time.Time) Report {
	return Report{
		Closed: c.schedule == nil,
		Start:  began.Add(c.from).Round(0).UTC(),
		End:    began.Add(c.to).Round(0).UTC(),
		Counts: c.settled(), LateFrom: c.lateFrom,
		Response: c.response, Service: c.service, Connect: c.connect, Lateness: c.lateness,
		Busy: min(1, c.busy.Seconds()/c.spec.Duration.Seconds()),
	}
}
