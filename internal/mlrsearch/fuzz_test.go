package mlrsearch

import (
	"testing"
	"time"
)

// FuzzSearch answers trials with losses made of bytes.
func FuzzSearch(f *testing.F) {
	f.Add([]byte{}, uint8(20))
	f.Add([]byte{255, 0, 0, 0, 255, 3, 0, 1}, uint8(120))
	f.Add([]byte{255, 128, 64, 32, 16, 8, 4, 2, 1, 0}, uint8(3))
	f.Fuzz(func(t *testing.T, losses []byte, budget uint8) {
		c := defaults()
		c.Budget = time.Duration(budget)*time.Second + 1
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			trial, more := s.Next()
			if !more {
				break
			}
			if trial.Load < c.Min || trial.Load > c.Max {
				t.Fatalf("trial %d at %v", n, trial.Load)
			}
			loss := 0.0
			if len(losses) > 0 {
				loss = float64(losses[n%len(losses)]) / 255
			}
			if err := s.Add(Outcome{LossRatio: loss, Elapsed: trial.Duration + time.Millisecond}); err != nil {
				t.Fatal(err)
			}
		}
		r := s.Result()
		if r.Elapsed > c.Budget {
			t.Fatalf("%s of %s", r.Elapsed, c.Budget)
		}
		for _, g := range r.Goals {
			checkGoal(t, r, g)
		}
	})
}
