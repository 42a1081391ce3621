package pace

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFixedSchedule(t *testing.T) {
	s := newSchedule(3, Fixed, 0)
	for i, want := range []time.Duration{0, 333333333, 666666666, time.Second, 1333333333} {
		if got := s.next(); got != want {
			t.Errorf("request %d is due at %v, want %v", i, got, want)
		}
	}
}

func TestExponentialSchedule(t *testing.T) {
	const n = 200000
	s, again, other := newSchedule(1000, Exponential, 1), newSchedule(1000, Exponential, 1), newSchedule(1000, Exponential, 2)
	var last time.Duration
	var sum, squares float64
	differs := false
	for range n {
		at := s.next()
		if at != again.next() {
			t.Fatal("the same seed gives other times")
		}
		differs = differs || at != other.next()
		gap := (at - last).Seconds()
		last, sum, squares = at, sum+gap, squares+gap*gap
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	// Of an exponential distribution both are 1 ms, here within 3 standard errors.
	if math.Abs(mean-.001) > 7e-6 || math.Abs(deviation-.001) > 14e-6 || !differs {
		t.Errorf("mean gap %g, standard deviation %g, seeds differ: %v", mean, deviation, differs)
	}
}

func TestScheduleNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSchedule(rapid.Float64Range(.01, maxRate).Draw(t, "rate"),
			rapid.SampledFrom([]Gaps{Fixed, Exponential}).Draw(t, "gaps"), rapid.Uint64().Draw(t, "seed"))
		last := time.Duration(0)
		for range 100 {
			at := s.next()
			if at < last {
				t.Fatalf("%v after %v", at, last)
			}
			last = at
		}
	})
}

func TestPauses(t *testing.T) {
	p := newPauses(200*time.Millisecond, time.Second)
	for _, step := range []struct{ now, want time.Duration }{
		{0, 0}, {999 * time.Millisecond, 0}, {time.Second, 200 * time.Millisecond}, {1200 * time.Millisecond, 0},
		{3500 * time.Millisecond, 200 * time.Millisecond}, // two were missed
		{3900 * time.Millisecond, 0}, {4 * time.Second, 200 * time.Millisecond},
	} {
		if got := p.due(step.now); got != step.want {
			t.Errorf("due(%v) = %v, want %v", step.now, got, step.want)
		}
	}
	none := newPauses(0, 0)
	if got := none.due(time.Hour); got != 0 {
		t.Errorf("without pauses: %v", got)
	}
}
