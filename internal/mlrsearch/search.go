package mlrsearch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Trial is what the search asks for next.
type Trial struct {
	Load     float64       `json:"load"`
	Duration time.Duration `json:"durationNs"`
}

// Outcome is what became of a trial.
type Outcome struct {
	// LossRatio is the share of the frames that the trial was to offer which
	// did not arrive, from 0 to 1.
	LossRatio float64 `json:"lossRatio"`
	// Elapsed is the time that the trial took with all that surrounds it: the
	// budget is counted in it. It is at least the trial's duration.
	Elapsed time.Duration `json:"elapsedNs"`
}

// Measurement is a trial with its outcome.
type Measurement struct {
	Trial
	Outcome
}

// Search is one search under way. Make it with [New], call [Search.Next] and
// [Search.Add] in turn until there is no next trial, and take the
// [Search.Result]. It is not safe for concurrent use.
type Search struct {
	config  Config
	loads   grid
	goals   []*pursuit // in the order of search
	trials  []Measurement
	history history
	spent   time.Duration
	// overhead is the most that a trial took beyond its duration.
	overhead time.Duration
	asked    *Trial // what Next returned and Add has not answered
	askedAt  int
	stopped  bool // for lack of time
}

// New prepares a search.
func New(c Config) (*Search, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configuring the search: %w", err)
	}
	s := &Search{config: c, loads: newGrid(c.Min, c.Max, narrowest(c.Goals)), history: history{}}
	sorted := slices.Clone(c.Goals)
	slices.SortStableFunc(sorted, func(a, b Goal) int { return cmp.Compare(a.LossRatio, b.LossRatio) })
	for _, g := range sorted {
		s.goals = append(s.goals, newPursuit(g, targets(g, c.Preceding, s.loads), s.loads))
	}
	return s, nil
}

// Next returns the trial to make now. It returns false when every goal has
// its result or no further trial fits into the budget.
func (s *Search) Next() (Trial, bool) {
	if s.asked != nil {
		return *s.asked, true
	}
	if s.stopped {
		return Trial{}, false
	}
	for _, p := range s.goals {
		index, duration, more := p.next(s.history)
		if !more {
			continue
		}
		if s.spent+duration+s.overhead > s.config.Budget {
			s.stopped = true
			return Trial{}, false
		}
		s.asked, s.askedAt = &Trial{Load: s.loads.load(index), Duration: duration}, index
		return *s.asked, true
	}
	return Trial{}, false
}

// Add tells the outcome of the trial that Next returned. An outcome that no
// trial can have is an error, and the search is as it was.
func (s *Search) Add(o Outcome) error {
	switch {
	case s.asked == nil:
		return errors.New("an outcome without a trial")
	case !(o.LossRatio >= 0 && o.LossRatio <= 1):
		return fmt.Errorf("a loss ratio of %v, which is not in [0, 1]", o.LossRatio)
	case o.Elapsed < s.asked.Duration:
		return fmt.Errorf("a trial of %s took %s", s.asked.Duration, o.Elapsed)
	}
	m := Measurement{*s.asked, o}
	s.trials = append(s.trials, m)
	s.history[s.askedAt] = append(s.history[s.askedAt], m)
	s.spent += o.Elapsed
	s.overhead = max(s.overhead, o.Elapsed-m.Duration)
	s.asked = nil
	return nil
}
