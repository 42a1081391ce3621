package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	// AdaptiveAlpha is the one-sided level of verdicts in a campaign that looks
	// several times and stops on precision. By chance a narrow interval is also
	// one that excludes more: at 0.025 a shift equal to the margin would be
	// found better in up to 3 of 100 campaigns. At 0.02 it is at most 2.5, for
	// normal, heavy-tailed and skewed noise and for every target, which a test
	// and "hack/bench.sh stats" simulate.
	AdaptiveAlpha = 0.02
	// firstLook and mostLooks bound the rules for which that was simulated.
	firstLook = 10
	mostLooks = 3
)

// PrecisionRule says after how many blocks a campaign looks at its intervals,
// and that it stops there when all are narrow enough. It never asks whether
// something was found.
type PrecisionRule struct {
	Looks []int // ascending, one to three of them, the first 10 or later
}

// DefaultLooks is the rule of the methodology.
func DefaultLooks() PrecisionRule { return PrecisionRule{Looks: []int{10, 15, 20}} }

// Check says what is wrong with the rule; nil when nothing is.
func (r PrecisionRule) Check() error {
	switch {
	case len(r.Looks) == 0:
		return errors.New("there is no look")
	case len(r.Looks) > mostLooks:
		return fmt.Errorf("%d looks are more than the %d for which verdicts hold", len(r.Looks), mostLooks)
	case r.Looks[0] < firstLook:
		return fmt.Errorf("a first look after %d blocks is earlier than %d", r.Looks[0], firstLook)
	}
	for i, look := range r.Looks[1:] {
		if look <= r.Looks[i] {
			return fmt.Errorf("looks must ascend, and %d follows %d", look, r.Looks[i])
		}
	}
	return nil
}

// Alpha is the level of verdicts under the rule: VerdictAlpha when there is
// nothing to choose, otherwise AdaptiveAlpha.
func (r PrecisionRule) Alpha() float64 {
	if len(r.Looks) <= 1 {
		return VerdictAlpha
	}
	return AdaptiveAlpha
}

// Precision is the precision asked of one comparison.
type Precision struct {
	D         []float64 // differences so far
	HalfWidth float64   // of the 95 % interval that is narrow enough, on their scale
}

// Look is what a look says.
type Look struct {
	Stop bool
	// Precise counts the comparisons whose interval is narrow enough; Widest is
	// the largest half-width in units of the one asked for, +Inf when an
	// interval is absent.
	Precise int
	Widest  float64
	// Next is the number of blocks after which to look again; 0 when the
	// campaign stops.
	Next int
}

// Look tells whether a campaign stops after so many blocks: at a look when all
// comparisons are precise, and at the last look anyway. Between looks it never
// stops. It fails when the rule, a target or a difference makes no sense.
func (r PrecisionRule) Look(blocks int, comparisons []Precision) (Look, error) {
	if err := r.Check(); err != nil {
		return Look{}, err
	}
	var look Look
	for i, c := range comparisons {
		if math.IsNaN(c.HalfWidth) || c.HalfWidth <= 0 {
			return Look{}, fmt.Errorf("half-width %v is not a number above 0", c.HalfWidth)
		}
		width := math.Inf(1)
		if len(c.D) > 0 {
			shift, err := PairedShift(c.D, 1-2*VerdictAlpha)
			if err != nil {
				return Look{}, fmt.Errorf("comparison %d: %w", i+1, err)
			}
			width = shift.Interval.HalfWidth() / c.HalfWidth
		}
		if width <= 1 {
			look.Precise++
		}
		look.Widest = max(look.Widest, width)
	}
	last := r.Looks[len(r.Looks)-1]
	due := slices.Contains(r.Looks, blocks)
	precise := len(comparisons) > 0 && look.Precise == len(comparisons)
	if look.Stop = blocks >= last || due && precise; look.Stop {
		return look, nil
	}
	for _, next := range r.Looks {
		if next > blocks {
			look.Next = next
			break
		}
	}
	return look, nil
}
