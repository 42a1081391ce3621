package pace

import "time"

// request is one that may still be answered. Times count from the start of the
// client.
type request struct {
	intended, sent time.Duration
	slot           int  // the connection it has in a closed loop
	counted        bool // lies in the window
	started        bool // the client tried to send it
	done           bool
}

// expired is what is remembered of a request that timed out.
type expired struct {
	slot    int
	counted bool
}

// ledger keeps the accounts of a client: what was asked, what was answered,
// and how long it took. Requests have numbers, in order of their intended
// times.
type ledger struct {
	from, to time.Duration // the window
	timeout  time.Duration
	lateFrom time.Duration
	open     queue[request]
	first    uint64 // number of the first in open
	expired  map[uint64]expired
	pending  int // requests in open that are not done
	counts   Counts
	response Distribution
	service  Distribution
	connect  Distribution
	lateness Distribution
}

// newLedger returns a ledger that counts nothing until its window is set.
func newLedger(timeout, lateFrom time.Duration) *ledger {
	return &ledger{
		from: never, to: never, timeout: timeout, lateFrom: lateFrom, expired: map[uint64]expired{},
		counts:   Counts{Failed: map[string]int64{}, Answers: map[string]int64{}},
		response: NewDistribution(), service: NewDistribution(), connect: NewDistribution(), lateness: NewDistribution(),
	}
}

// never is later than any time of a client.
const never = time.Duration(1<<63 - 1)

// intend enters a request and returns its number.
func (l *ledger) intend(at time.Duration, slot int) uint64 {
	r := request{intended: at, slot: slot, counted: at >= l.from && at < l.to}
	if r.counted {
		l.counts.Intended++
	}
	l.open.push(r)
	l.pending++
	return l.first + uint64(l.open.len()) - 1
}

// find returns an open request, nil when it is done or gone.
func (l *ledger) find(n uint64) *request {
	if n < l.first || n >= l.first+uint64(l.open.len()) {
		return nil
	}
	if r := l.open.at(int(n - l.first)); !r.done {
		return r
	}
	return nil
}

// started notes that the client tries to send request n.
func (l *ledger) started(n uint64, at time.Duration) {
	r := l.find(n)
	if r == nil {
		return
	}
	r.started = true
	if !r.counted {
		return
	}
	late := at - r.intended
	l.lateness.Add(late)
	if late > l.lateFrom {
		l.counts.LateSends++
	}
}

// sent notes that request n went to the kernel, beginning at the given time.
func (l *ledger) sent(n uint64, at time.Duration) {
	if r := l.find(n); r != nil {
		r.sent = at
		if r.counted {
			l.counts.Sent++
		}
	}
}

// connected notes that the connection of request n stands.
func (l *ledger) connected(n uint64, at time.Duration) {
	if r := l.find(n); r != nil && r.counted {
		l.connect.Add(at - r.sent)
	}
}

// answer says what an answer was to the client.
type answer int

const (
	toOpen    answer = iota // its request was waiting
	toExpired               // its request had timed out
	stray                   // it belongs to no request
)

// answered notes the whole answer to request n and returns the request's slot,
// unless it is a stray.
func (l *ledger) answered(n uint64, at time.Duration) (slot int, what answer) {
	if r := l.find(n); r != nil {
		l.close(r)
		switch {
		case !r.counted:
		case at-r.intended > l.timeout: // and nobody has looked since
			l.counts.TimedOut++
			l.counts.AnsweredLate++
		default:
			l.counts.Answered++
			l.response.Add(at - r.intended)
			l.service.Add(at - r.sent)
		}
		return r.slot, toOpen
	}
	e, known := l.expired[n]
	if !known {
		l.counts.Strays++
		return 0, stray
	}
	delete(l.expired, n)
	if e.counted {
		l.counts.AnsweredLate++
	}
	return e.slot, toExpired
}

// said counts what the answer to request n says, before it is answered or has
// failed.
func (l *ledger) said(n uint64, what string) {
	if r := l.find(n); r != nil && r.counted {
		l.counts.Answers[what]++
	}
}

// failed notes that request n has ended without an answer, and returns its
// slot. It is false when it has ended before.
func (l *ledger) failed(n uint64, reason string) (slot int, known bool) {
	r := l.find(n)
	if r == nil {
		return 0, false
	}
	if r.counted {
		l.counts.Failed[reason]++
	}
	l.close(r)
	return r.slot, true
}

func (l *ledger) close(r *request) {
	r.done = true
	l.pending--
}

// expire ends the requests whose time is over and calls gone for each of them.
func (l *ledger) expire(now time.Duration, gone func(n uint64, slot int)) {
	for l.open.len() > 0 {
		r := *l.open.at(0)
		if !r.done && r.intended+l.timeout > now {
			return
		}
		n := l.first
		l.open.pop()
		l.first++
		if r.done {
			continue
		}
		l.pending--
		l.expired[n] = expired{r.slot, r.counted}
		if r.counted {
			l.counts.TimedOut++
			if !r.started {
				l.counts.Unsent++
			}
		}
		gone(n, r.slot)
	}
}

// expiry returns when the first open request times out, or never.
func (l *ledger) expiry() time.Duration {
	if l.open.len() == 0 {
		return never
	}
	return l.open.at(0).intended + l.timeout
}

// settled returns the counts at the end of the client, when nothing is open.
func (l *ledger) settled() Counts {
	c := l.counts
	c.Lost = c.TimedOut - c.AnsweredLate
	return c
}
