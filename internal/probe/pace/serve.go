package pace

import "time"

// pauses are the times at which a server does nothing.
type pauses struct {
	length, every time.Duration
	next          time.Duration // when the next begins
}

// newPauses returns pauses whose first begins one period after the start.
func newPauses(length, every time.Duration) pauses {
	if length == 0 {
		return pauses{next: never}
	}
	return pauses{length: length, every: every, next: every}
}

// due returns how long to pause now, 0 for not at all. A pause that was missed
// is not made up for.
func (p *pauses) due(now time.Duration) time.Duration {
	if now < p.next {
		return 0
	}
	for p.next <= now {
		p.next += p.every
	}
	return p.length
}

// share is the part of a span of time that a thread was on a CPU.
type share struct {
	started         bool
	began, beganCPU time.Duration
	ended, endedCPU time.Duration
}

// shareStep is how often a thread's CPU time is asked for: often enough for a
// span of a second, seldom enough to cost nothing.
const shareStep = 10 * time.Millisecond

// note extends the span to now, asking for the thread's CPU time where it is
// time to.
func (s *share) note(now time.Duration, cpu func() time.Duration) {
	if !s.started {
		s.started, s.began, s.beganCPU = true, now, cpu()
		s.ended, s.endedCPU = s.began, s.beganCPU
	}
	if now-s.ended >= shareStep {
		s.ended, s.endedCPU = now, cpu()
	}
}

// value is from 0 to 1.
func (s *share) value() float64 {
	if s.ended <= s.began {
		return 0
	}
	return min(1, float64(s.endedCPU-s.beganCPU)/float64(s.ended-s.began))
}
