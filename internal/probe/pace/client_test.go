package pace

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// simulated is a wire with a clock that only moves while the client waits, to
// a server that a function describes.
type simulated struct {
	sink  sink
	clock time.Duration
	due   []event // sorted by time
	// serve says when a request that is sent now is answered; false is never.
	serve func(n uint64, now time.Duration) (at time.Duration, answers bool)
	// cost is how long sending takes the client.
	cost      time.Duration
	abandoned []uint64
	fails     string // every request with this reason, at once
}

type event struct {
	at time.Duration
	n  uint64
}

func (s *simulated) now() time.Duration { return s.clock }
func (s *simulated) cpu() time.Duration { return s.clock / 2 }
func (s *simulated) abandon(n uint64)   { s.abandoned = append(s.abandoned, n) }

func (s *simulated) send(n uint64, _ int) error {
	if s.fails != "" {
		s.sink.failed(n, s.fails)
		return nil
	}
	s.sink.sent(n, s.clock)
	if at, answers := s.serve(n, s.clock); answers {
		i, _ := slices.BinarySearchFunc(s.due, at+1, func(e event, at time.Duration) int { return int(e.at - at) })
		s.due = slices.Insert(s.due, i, event{at, n})
	}
	s.clock += s.cost
	return nil
}

func (s *simulated) wait(until time.Duration) error {
	next := until
	if len(s.due) > 0 {
		next = min(next, s.due[0].at)
	}
	if next == never {
		return errors.New("the client waits for nothing")
	}
	s.clock = max(s.clock, next)
	for len(s.due) > 0 && s.due[0].at <= s.clock {
		n := s.due[0].n
		s.due = s.due[1:]
		s.sink.answered(n, s.clock)
	}
	return nil
}

// after is a server that answers after a while.
func after(d time.Duration) func(uint64, time.Duration) (time.Duration, bool) {
	return func(_ uint64, now time.Duration) (time.Duration, bool) { return now + d, true }
}

// steady is 1000 requests per second for 10 s.
func steady() Spec {
	return Spec{
		Kind: UDPRR, Target: "127.0.0.1:1", Connections: 4, Rate: 1000, Gaps: Fixed, RequestBytes: 64, ResponseBytes: 64,
		Duration: 10 * time.Second, Omit: time.Second, Timeout: time.Second,
	}
}

func simulate(t interface{ Fatal(...any) }, spec Spec, w *simulated) Report {
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	c := newClient(spec)
	w.sink = c
	if err := c.run(w); err != nil {
		t.Fatal(err)
	}
	return c.report(time.Unix(0, 0))
}

// near tells whether d is w within the resolution of a distribution.
func near(d, w time.Duration) bool { return d >= w-w/1000 && d <= w+w/1000 }

func percentile(t *testing.T, d Distribution, q float64) time.Duration {
	t.Helper()
	p, ok := d.Percentile(q, 0)
	if !ok {
		t.Fatalf("there is no percentile %g", q)
	}
	return p
}

func TestClientMeasuresAnEvenServer(t *testing.T) {
	r := simulate(t, steady(), &simulated{serve: after(3 * time.Millisecond)})
	if r.Counts.Intended != 10000 || r.Counts.Answered != 10000 || r.Counts.Sent != 10000 || r.Counts.LateSends != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
	for _, d := range []Distribution{r.Response, r.Service} {
		if p50, p99 := percentile(t, d, .5), percentile(t, d, .99); !near(p50, 3*time.Millisecond) || !near(p99, 3*time.Millisecond) {
			t.Errorf("p50 %v, p99 %v", p50, p99)
		}
	}
	if got := r.End.Sub(r.Start); got != 10*time.Second || r.Closed || len(r.Limits()) > 0 || r.Busy != .5 {
		t.Errorf("window of %v, report %+v, limits %v", got, r, r.Limits())
	}
}

// The server answers at once except for 200 ms in every second. A client that
// waits for answers would ask once in that time; the truth is that a fifth of
// the requests waited, for 0 to 200 ms.
func TestClientDoesNotOmitAPause(t *testing.T) {
	pausing := func(_ uint64, now time.Duration) (time.Duration, bool) {
		if into := now % time.Second; into >= 800*time.Millisecond {
			return now - into + time.Second, true
		}
		return now, true
	}
	r := simulate(t, steady(), &simulated{serve: pausing})
	if r.Counts.Answered != 10000 {
		t.Fatalf("counts: %+v", r.Counts)
	}
	// The slowest 5 % are the first quarter of each pause.
	for q, want := range map[float64]time.Duration{.9: 100 * time.Millisecond, .95: 150 * time.Millisecond, .99: 190 * time.Millisecond} {
		if p := percentile(t, r.Response, q); p < want-2*time.Millisecond || p > want+2*time.Millisecond {
			t.Errorf("percentile %g is %v, want %v", q, p, want)
		}
	}
	if p := percentile(t, r.Response, .79); p > time.Millisecond {
		t.Errorf("percentile 0.79 is %v", p)
	}
}

// In a closed loop the same pauses hide: one request of each connection meets
// each of them. That is why the report says that the loop was closed.
func TestClosedLoop(t *testing.T) {
	spec := steady()
	spec.Rate = 0
	r := simulate(t, spec, &simulated{serve: after(time.Millisecond)})
	// Four connections, a request per millisecond each, and the ones that the
	// end of the window finds on their way.
	if r.Counts.Answered != 40000 || !r.Closed || r.Counts.LateSends != 0 {
		t.Errorf("counts: %+v", r.Counts)
	}
	if p := percentile(t, r.Response, .5); !near(p, time.Millisecond) {
		t.Errorf("p50 %v", p)
	}
}

func TestClientCountsLosses(t *testing.T) {
	spec := steady()
	lossy := func(n uint64, now time.Duration) (time.Duration, bool) {
		switch {
		case now == 0: // before the clock
			return now, true
		case n%100 == 0:
			return 0, false
		case n%100 == 50:
			return now + 1500*time.Millisecond, true
		}
		return now + time.Millisecond, true
	}
	w := &simulated{serve: lossy}
	r := simulate(t, spec, w)
	c := r.Counts
	if c.Intended != 10000 || c.Answered != 9800 || c.TimedOut != 200 || c.Lost+c.AnsweredLate != 200 || c.Unsent != 0 || len(w.abandoned) < 200 {
		t.Errorf("counts: %+v, %d abandoned", c, len(w.abandoned))
	}
	// The last ones have no time left to be answered late.
	if c.AnsweredLate < 90 || c.AnsweredLate > 100 {
		t.Errorf("%d answers came late", c.AnsweredLate)
	}
	// 2 % are missing, so the 99th percentile is one of those.
	if _, ok := r.Response.Percentile(.99, c.Missing()); ok {
		t.Error("p99 lies among the requests that were not answered")
	}
	if p, ok := r.Response.Percentile(.98, c.Missing()); !ok || !near(p, time.Millisecond) {
		t.Errorf("p98 = %v, %v", p, ok)
	}
}

// A closed loop goes on after a datagram was lost, and waits for a stream.
func TestClosedLoopAfterATimeout(t *testing.T) {
	once := func(_ uint64, now time.Duration) (time.Duration, bool) {
		if now >= 2*time.Second && now < 2*time.Second+time.Millisecond {
			return now + 3*time.Second, true
		}
		return now + time.Millisecond, true
	}
	for kind, want := range map[Kind]int64{UDPRR: 4 * 8999, TCPRR: 4 * 7000} {
		spec := steady()
		spec.Rate, spec.Kind = 0, kind
		c := simulate(t, spec, &simulated{serve: once}).Counts
		if c.Answered < want-8 || c.Answered > want+8 || c.AnsweredLate != 4 || c.TimedOut != 4 {
			t.Errorf("%s: %+v, want %d answered", kind, c, want)
		}
	}
}

func TestClientThatCannotKeepTheRate(t *testing.T) {
	r := simulate(t, steady(), &simulated{serve: after(0), cost: 1500 * time.Microsecond})
	limits := strings.Join(r.Limits(), "; ")
	if !strings.Contains(limits, "were sent more than 1ms late") || !strings.Contains(limits, "never sent") {
		t.Errorf("limits: %q, counts %+v", limits, r.Counts)
	}
	// What was sent late counts from when it should have been.
	if p := percentile(t, r.Response, .5); p < time.Second/2 {
		t.Errorf("p50 %v", p)
	}
}

func TestClientNeedsAnAnswerFirst(t *testing.T) {
	tests := []struct {
		wire *simulated
		want string
	}{
		{&simulated{serve: func(uint64, time.Duration) (time.Duration, bool) { return 0, false }}, "127.0.0.1:1: no answer for 10s"},
		{&simulated{fails: "SERVFAIL"}, "127.0.0.1:1: SERVFAIL for 10s"},
	}
	for _, test := range tests {
		c := newClient(steady())
		test.wire.sink = c
		if err := c.run(test.wire); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("run() = %v, want %q", err, test.want)
		}
	}
}

// Whatever the network does, every intended request is accounted for once.
func TestAccountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := steady()
		spec.Kind = rapid.SampledFrom([]Kind{UDPRR, TCPRR, TCPCRR}).Draw(t, "kind")
		spec.Duration = time.Duration(rapid.IntRange(1, 50).Draw(t, "duration")) * time.Millisecond
		spec.Omit = time.Duration(rapid.IntRange(0, 5).Draw(t, "omit")) * time.Millisecond
		spec.Timeout = time.Duration(rapid.IntRange(1, 50).Draw(t, "timeout")) * time.Millisecond
		spec.Rate = rapid.SampledFrom([]float64{0, 10, 1000, 5000}).Draw(t, "rate")
		spec.Gaps = rapid.SampledFrom([]Gaps{Fixed, Exponential}).Draw(t, "gaps")
		delays := rapid.SliceOfN(rapid.IntRange(-1, 80), 1, 20).Draw(t, "delays in ms")
		w := &simulated{cost: time.Duration(rapid.IntRange(20, 400).Draw(t, "cost in µs")) * time.Microsecond}
		w.serve = func(n uint64, now time.Duration) (time.Duration, bool) {
			delay := delays[n%uint64(len(delays))]
			if n < uint64(spec.Connections) { // before the clock
				delay = 0
			}
			return now + time.Duration(delay)*time.Millisecond + 50*time.Microsecond, delay >= 0
		}
		r := simulate(t, spec, w)
		c, failed := r.Counts, int64(0)
		for n := range maps.Values(c.Failed) {
			failed += n
		}
		if c.Intended != c.Answered+c.TimedOut+failed || c.TimedOut != c.AnsweredLate+c.Lost || c.Lost < 0 ||
			c.Sent+c.Unsent != c.Intended || r.Response.Count() != c.Answered || r.Lateness.Count() != c.Sent {
			t.Errorf("counts: %+v, %d response times, %d latenesses", c, r.Response.Count(), r.Lateness.Count())
		}
		if p, ok := r.Response.Percentile(1, 0); ok && p > spec.Timeout+spec.Timeout/500 {
			t.Errorf("an answer after %v counts, though the timeout is %v", p, spec.Timeout)
		}
	})
}
