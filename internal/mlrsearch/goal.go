package mlrsearch

import (
	"errors"
	"fmt"
	"time"
)

// Goal is one loss ratio to search for (the document's Search Goal).
type Goal struct {
	// Name appears in results and errors, such as "ndr".
	Name string `json:"name"`
	// LossRatio is the share of lost frames, from 0 to below 1, up to which a
	// trial is a low-loss trial.
	LossRatio float64 `json:"lossRatio"`
	// ExceedRatio is the share of the trial time at one load, from 0 to below
	// 1, in which the loss may be higher all the same. The document recommends
	// 0.5.
	ExceedRatio float64 `json:"exceedRatio"`
	// Width is how far apart the bounds may lie: (upper − lower) / upper,
	// above 0 and below 1.
	Width float64 `json:"width"`
	// InitialTrial is the length of the shortest trials, FinalTrial that of
	// trials which can make a load a lower bound.
	InitialTrial time.Duration `json:"initialTrialNs"`
	FinalTrial   time.Duration `json:"finalTrialNs"`
	// DurationSum is how much trial time is enough at one load.
	DurationSum time.Duration `json:"durationSumNs"`
}

// Validate reports what makes g unusable.
func (g Goal) Validate() error {
	switch {
	case g.Name == "":
		return errors.New("a goal has no name")
	case !(g.LossRatio >= 0 && g.LossRatio < 1):
		return fmt.Errorf("goal %s: loss ratio %v is not in [0, 1)", g.Name, g.LossRatio)
	case !(g.ExceedRatio >= 0 && g.ExceedRatio < 1):
		return fmt.Errorf("goal %s: exceed ratio %v is not in [0, 1)", g.Name, g.ExceedRatio)
	case !(g.Width > 0 && g.Width < 1):
		return fmt.Errorf("goal %s: width %v is not in (0, 1)", g.Name, g.Width)
	case g.InitialTrial <= 0 || g.InitialTrial > g.FinalTrial:
		return fmt.Errorf("goal %s: the initial trial of %s is not in (0, %s], the final trial", g.Name, g.InitialTrial, g.FinalTrial)
	case g.DurationSum < g.FinalTrial:
		return fmt.Errorf("goal %s: the duration sum %s is less than one final trial of %s", g.Name, g.DurationSum, g.FinalTrial)
	}
	return nil
}

// Config is what one search needs (the document's Controller Input). Loads
// have whatever unit the measurer understands.
type Config struct {
	// Goals in any order; they are searched by rising loss ratio.
	Goals []Goal
	// Min and Max are the lowest and highest load that may be tried.
	Min, Max float64
	// Preceding is how many coarse targets lead up to each goal. Their widths
	// are 2, 4, … times the goal's, and their duration sums fall in equal
	// ratios down to the initial trial. CSIT uses 2.
	Preceding int
	// Budget is the time that all trials may take, with what surrounds them.
	// A trial that might not fit any more is not begun; only the first may
	// exceed it, by what it takes beyond its duration.
	Budget time.Duration
}

// Most loads of a grid: 10 decades in steps of 0.02 %.
const maxLoads = 120_000

const maxPreceding = 8

// Validate reports what makes c unusable.
func (c Config) Validate() error {
	if len(c.Goals) == 0 {
		return errors.New("a search needs a goal")
	}
	names := map[string]bool{}
	for _, g := range c.Goals {
		if err := g.Validate(); err != nil {
			return err
		}
		if names[g.Name] {
			return fmt.Errorf("two goals are called %s", g.Name)
		}
		names[g.Name] = true
	}
	switch {
	case !(c.Min > 0 && c.Min < c.Max) || c.Max > 1e18:
		return fmt.Errorf("loads from %v to %v: the lower must be above 0, and the higher above that and at most 1e18", c.Min, c.Max)
	case c.Preceding < 0 || c.Preceding > maxPreceding:
		return fmt.Errorf("%d preceding targets: there can be 0 to %d", c.Preceding, maxPreceding)
	case c.Budget <= 0:
		return errors.New("a search needs a positive budget of time")
	}
	if n := gridSteps(c.Min, c.Max, narrowest(c.Goals)); n > maxLoads {
		return fmt.Errorf("from %v to %v in steps of %v there are %d loads, more than %d: take a wider width", c.Min, c.Max, narrowest(c.Goals), n, maxLoads)
	}
	return nil
}
