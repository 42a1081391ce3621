package pace

import (
	"math/rand/v2"
	"time"
)

// schedule is the sequence of times at which requests are to be sent, from the
// start of the load. The same rate, gaps and seed give the same times.
type schedule struct {
	mean   float64 // nanoseconds between two requests
	gaps   Gaps
	random *rand.Rand
	count  uint64
	sum    float64 // of exponential gaps, nanoseconds
}

// scheduleStream tells this use of a seed from others.
const scheduleStream = 0x70616365

func newSchedule(rate float64, gaps Gaps, seed uint64) *schedule {
	return &schedule{mean: 1e9 / rate, gaps: gaps, random: rand.New(rand.NewPCG(seed, scheduleStream))}
}

// next returns the time of the next request. Fixed times are multiples of the
// gap, so that rounding does not add up.
func (s *schedule) next() time.Duration {
	if s.gaps == Exponential {
		s.sum += s.random.ExpFloat64() * s.mean
		return time.Duration(s.sum)
	}
	at := time.Duration(float64(s.count) * s.mean)
	s.count++
	return at
}
