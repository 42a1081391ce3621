package mlrsearch

import (
	"fmt"
	"strconv"
	"time"
)

// Status says how a goal's search ended.
type Status string

// The ends of a goal's search. All but Regular are the document's irregular
// goal results.
const (
	// Regular: both relevant bounds exist and are at most the width apart.
	Regular Status = "regular"
	// AtLeastMax: the highest load is a lower bound, so there is no upper one.
	AtLeastMax Status = "at-least-max"
	// BelowMin: the lowest load is an upper bound, so there is no lower one.
	BelowMin Status = "below-min"
	// OutOfBudget: the time was up before the bounds were found or close.
	OutOfBudget Status = "out-of-budget"
)

// Result is what a search found.
type Result struct {
	// Goals in the order of [Config].Goals.
	Goals []GoalResult `json:"goals"`
	// Trials in the order in which they were made.
	Trials  []Measurement `json:"trials"`
	Elapsed time.Duration `json:"elapsedNs"`
}

// GoalResult is what a search found for one goal.
type GoalResult struct {
	Goal   Goal   `json:"goal"`
	Status Status `json:"status"`
	// Reason says in a sentence why the result is irregular.
	Reason string `json:"reason,omitempty"`
	// Lower and Upper are the relevant bounds; nil where there is none.
	Lower *Bound `json:"lower,omitempty"`
	Upper *Bound `json:"upper,omitempty"`
}

// Bound is a load that was classified, with the evidence.
type Bound struct {
	Load float64 `json:"load"`
	// QuantileLoss is the loss ratio at the goal's exceed ratio, and
	// ConditionalThroughput the load less that; see [Goal.QuantileLoss]. They
	// are pessimistic: a load is left as soon as its class is certain.
	QuantileLoss          float64 `json:"quantileLoss"`
	ConditionalThroughput float64 `json:"conditionalThroughput"`
	// Trials are all trials at this load.
	Trials []Measurement `json:"trials"`
}

// Result returns what is known now; after Next has returned false that is
// the search's result.
func (s *Search) Result() Result {
	r := Result{Trials: append([]Measurement(nil), s.trials...), Elapsed: s.spent}
	for _, g := range s.config.Goals {
		r.Goals = append(r.Goals, s.goalResult(g))
	}
	return r
}

func (s *Search) goalResult(g Goal) GoalResult {
	b := s.history.bounds(g, s.loads.steps+1)
	r := GoalResult{Goal: g, Lower: s.bound(g, b.lower), Upper: s.bound(g, b.upper)}
	switch {
	case r.Lower != nil && r.Upper != nil && b.upper-b.lower <= s.loads.gap(g.Width):
		r.Status = Regular
	case b.lower == s.loads.steps:
		r.Status = AtLeastMax
		r.Reason = fmt.Sprintf("the highest load tried, %s, still achieves the goal", number(r.Lower.Load))
	case b.upper == 0:
		r.Status = BelowMin
		r.Reason = fmt.Sprintf("the lowest load tried, %s, already fails the goal", number(r.Upper.Load))
	default:
		r.Status = OutOfBudget
		r.Reason = fmt.Sprintf("the budget of %s ended the search after %s and %d trials, with %s", s.config.Budget, s.spent.Round(time.Millisecond), len(s.trials), describe(r.Lower, r.Upper))
	}
	return r
}

func (s *Search) bound(g Goal, index int) *Bound {
	trials := s.history[index]
	if len(trials) == 0 {
		return nil
	}
	load, loss := s.loads.load(index), g.QuantileLoss(trials)
	return &Bound{load, loss, load * (1 - loss), append([]Measurement(nil), trials...)}
}

func describe(lower, upper *Bound) string {
	switch {
	case lower == nil && upper == nil:
		return "no bounds"
	case lower == nil:
		return fmt.Sprintf("no lower bound and the upper bound %s", number(upper.Load))
	case upper == nil:
		return fmt.Sprintf("the lower bound %s and no upper bound", number(lower.Load))
	}
	return fmt.Sprintf("bounds %s and %s, %.2g %% apart", number(lower.Load), number(upper.Load), 100*relativeWidth(lower.Load, upper.Load))
}

// number writes a load with six digits, or all of its whole part.
func number(load float64) string {
	if load >= 1e6 {
		return strconv.FormatFloat(load, 'f', 0, 64)
	}
	return strconv.FormatFloat(load, 'g', 6, 64)
}
