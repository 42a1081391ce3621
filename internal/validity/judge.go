package validity

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Default are the rules of a campaign that has none of its own. They are for
// blocks that something ran over, not for a noisy machine: comparing within
// blocks and intervals take care of that. Rented virtual machines with more
// CPUs sold than there are lose 5 to 15 % to others all the time.
func Default() plan.Validity {
	return plan.Validity{Steal: campaign.DefaultSteal, ForeignCPU: campaign.DefaultForeignCPU, ClockStep: true}
}

// Rules are those of a plan.
func Rules(p plan.Plan) plan.Validity {
	if p.Validity == nil {
		return Default()
	}
	return *p.Validity
}

// Judge says why the ok trials of one block, as they decide it, make it
// invalid; empty: they do not. Shares are the mean of a variant's trials on a
// machine, each weighed by the length of its window, because what matters is
// the variant's turn. What no trial recorded breaks no rule.
func Judge(rules plan.Validity, trials []result.Trial) string {
	turns := turnsOf(trials)
	var reasons []string
	add := func(limit float64, share func(turn) (float64, bool), text func(t turn, share float64) string) {
		if worst, value, others := worstOf(turns, limit, share); worst != nil {
			reasons = append(reasons, text(*worst, value)+alsoIn(others))
		}
	}
	if rules.Steal > 0 {
		add(rules.Steal, turn.steal, func(t turn, share float64) string {
			return fmt.Sprintf("%s of %sCPU time was stolen during %s, more than %s", percent(share), t.owner(), t.variant, percent(rules.Steal))
		})
	}
	if rules.ForeignCPU > 0 {
		add(rules.ForeignCPU, turn.foreignCPU, func(t turn, share float64) string {
			return fmt.Sprintf("programs outside the cluster used %s of %sCPU time during %s, more than %s", percent(share), t.owner(), t.variant, percent(rules.ForeignCPU))
		})
	}
	if rules.ClockStep {
		add(0, turn.step, func(t turn, seconds float64) string {
			return fmt.Sprintf("the clock%s was set by %s during %s", t.place(), time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), t.variant)
		})
	}
	return strings.Join(reasons, "; ")
}

// turn is a machine during one variant's trials of a block.
type turn struct {
	variant, machine string
	alone            bool    // the only machine
	seconds, stolen  float64 // of the windows; weighed by them
	known, foreign   float64 // the same of windows in which foreign CPU is known
	clock            float64 // seconds, the largest step; 0: none
}

func (t turn) steal() (float64, bool)      { return t.stolen / t.seconds, t.seconds > 0 }
func (t turn) foreignCPU() (float64, bool) { return t.foreign / t.known, t.known > 0 }
func (t turn) step() (float64, bool)       { return t.clock, true }

// owner names the machine where there are several.
func (t turn) owner() string {
	if t.alone {
		return "the "
	}
	return t.machine + "'s "
}

func (t turn) place() string {
	if t.alone {
		return ""
	}
	return " of " + t.machine
}

// turnsOf adds up the conditions of trials by variant and machine, in the order
// of the trials and of the machines' names.
func turnsOf(trials []result.Trial) []turn {
	var turns []turn
	for _, t := range trials {
		if t.Status != result.OK {
			continue
		}
		for _, machine := range slices.Sorted(maps.Keys(t.Conditions)) {
			i := slices.IndexFunc(turns, func(u turn) bool { return u.variant == t.Variant && u.machine == machine })
			if i < 0 {
				i = len(turns)
				turns = append(turns, turn{variant: t.Variant, machine: machine, alone: len(t.Conditions) == 1})
			}
			turns[i].add(t.Conditions[machine], seconds(t))
		}
	}
	return turns
}

// seconds is the length of a trial's window.
func seconds(t result.Trial) float64 {
	if t.Window == nil {
		return 0
	}
	return t.Window.End.Sub(t.Window.Start).Seconds()
}

// A clock that is slewed drifts by at most 0.05 % (adjtimex(2)); reading two
// clocks takes a moment, longer on a machine that stops the sampler between the
// two. More is a step.
const (
	slew    = 0.0005
	reading = 0.250 // seconds
)

func (t *turn) add(c result.Condition, seconds float64) {
	if step := math.Abs(c.ClockStep); step > reading+slew*seconds {
		t.clock = max(t.clock, step)
	}
	if !(seconds > 0) {
		return
	}
	t.seconds += seconds
	t.stolen += seconds * c.Steal
	if c.ForeignCPU != nil {
		t.known += seconds
		t.foreign += seconds * *c.ForeignCPU
	}
}

// worstOf returns the turn whose value is farthest above the limit, the first
// of equals, and how many others are above it; nil without any.
func worstOf(turns []turn, limit float64, of func(turn) (float64, bool)) (worst *turn, value float64, others []string) {
	var above []turn
	for _, t := range turns {
		if v, known := of(t); known && v > limit {
			above = append(above, t)
		}
	}
	if len(above) == 0 {
		return nil, 0, nil
	}
	most := slices.MaxFunc(above, func(a, b turn) int {
		x, _ := of(a)
		y, _ := of(b)
		return cmp.Compare(x, y)
	})
	value, _ = of(most)
	for _, t := range above {
		if t.variant != most.variant && !slices.Contains(others, t.variant) {
			others = append(others, t.variant)
		}
	}
	return &most, value, others
}

// alsoIn names the other variants that a rule speaks of, or their number.
func alsoIn(others []string) string {
	switch {
	case len(others) == 0:
		return ""
	case len(others) > 3:
		return fmt.Sprintf(" (and during %d others)", len(others))
	}
	return " (and during " + strings.Join(others, ", ") + ")"
}

// percent shows a share with one decimal where it is small.
func percent(share float64) string {
	if share < 0.10 {
		return fmt.Sprintf("%.3g %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
