package mlrsearch

import (
	"context"
	"fmt"
)

// Measurer makes trials.
type Measurer interface {
	// Measure makes one trial and returns its outcome. An error ends the
	// search.
	Measure(ctx context.Context, t Trial) (Outcome, error)
}

// Run searches to the end. On an error the result is what was known by then.
func Run(ctx context.Context, m Measurer, c Config) (Result, error) {
	s, err := New(c)
	if err != nil {
		return Result{}, err
	}
	for {
		trial, more := s.Next()
		if !more {
			return s.Result(), nil
		}
		outcome, err := m.Measure(ctx, trial)
		if err == nil {
			err = s.Add(outcome)
		}
		if err != nil {
			return s.Result(), fmt.Errorf("trial %d at load %s: %w", len(s.trials)+1, number(trial.Load), err)
		}
	}
}
