package progress

import (
	"sync"
	"time"
)

// interval is the least time between two reports of one phase.
const interval = 200 * time.Millisecond

// heartbeat is the longest silence.
const heartbeat = 5 * time.Second

// Step reports one step. Its methods may be called from several goroutines;
// the reports come one at a time.
type Step struct {
	mutex  sync.Mutex
	report func(Progress)
	last   Progress
	begun  time.Time // the step
	phase  time.Time // the current verb
	sent   time.Time
	stop   chan struct{}
	done   chan struct{}
}

// Start begins a step. report may be nil. The caller must call End.
func Start(name string, report func(Progress)) *Step {
	now := time.Now()
	s := &Step{
		report: report, begun: now, phase: now, last: Progress{Step: name, Verb: "starting"},
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go s.beat()
	return s
}

// Count reports that done of total units are finished.
func (s *Step) Count(verb string, done, total int, unit, detail string) {
	s.set(Progress{Verb: verb, Done: done, Total: total, Unit: unit, Detail: detail})
}

// Say reports an activity without a count.
func (s *Step) Say(verb, detail string) {
	s.set(Progress{Verb: verb, Detail: detail})
}

// End reports success and ends the heartbeat; with failed it ends silently.
func (s *Step) End(failed bool) {
	close(s.stop)
	<-s.done
	if failed {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = Progress{Step: s.last.Step, Verb: "ready", Finished: true}
	s.send(time.Now())
}

func (s *Step) set(p Progress) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	p.Step = s.last.Step
	changed := p.Verb != s.last.Verb
	if changed {
		s.phase = now
	}
	s.last = p
	if changed || now.Sub(s.sent) >= interval {
		s.send(now)
	}
}

// send reports the last state; the caller holds the mutex.
func (s *Step) send(now time.Time) {
	s.sent = now
	if s.report == nil {
		return
	}
	p := s.last
	p.Elapsed = now.Sub(s.begun)
	p.Remaining = remaining(p.Done, p.Total, now.Sub(s.phase))
	s.report(p)
}

// beat repeats the last state when nothing was said for a while: one compiled
// package or the link may take long.
func (s *Step) beat() {
	defer close(s.done)
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-ticker.C:
			s.mutex.Lock()
			if now.Sub(s.sent) >= heartbeat/2 {
				s.send(now)
			}
			s.mutex.Unlock()
		}
	}
}
