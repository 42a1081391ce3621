package stats

import "fmt"

// Outcome is what a gate says about one metric.
type Outcome string

// The three outcomes. They are not about whether there is a difference but
// about whether it is worse than the margin allows.
const (
	Pass       Outcome = "pass"         // shown to be less than the margin worse
	Regression Outcome = "regression"   // shown to be more than the margin worse
	Undecided  Outcome = "inconclusive" // neither is shown
)

// GateClaims holds the one-sided p-values of a gate. The hypotheses are each
// other's opposite, so at most one can be small.
type GateClaims struct {
	NotWorse float64 // of "the shift is at or below minus the margin"
	Worse    float64 // of "the shift is at or above minus the margin"
}

// NoGateClaims is the evidence of a metric that was to pass and was not
// measured. It keeps its place in the family.
func NoGateClaims() GateClaims { return GateClaims{NotWorse: 1, Worse: 1} }

// GateOf tests a gate about paired differences d, oriented so that positive is
// better: non-inferiority at the margin and its opposite. For an absolute floor
// d holds what each block is above it, and the margin is 0. It fails as
// ClaimsOf does.
func GateOf(d []float64, margin float64) (GateClaims, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return GateClaims{}, err
	}
	if err := checkMargin(margin); err != nil {
		return GateClaims{}, err
	}
	return GateClaims{NotWorse: pAtMost(sorted, -margin), Worse: pAtMost(negated(sorted), margin)}, nil
}

// GateBetween tests a gate about two independent samples, oriented so that b
// above a is better. It fails as ClaimsBetween does.
func GateBetween(a, b []float64, margin float64) (GateClaims, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return GateClaims{}, err
	}
	if err := checkMargin(margin); err != nil {
		return GateClaims{}, err
	}
	var claims GateClaims
	claims.NotWorse, _ = s.pAtMost(-margin)
	claims.Worse, _ = s.turned().pAtMost(margin)
	return claims, nil
}

// GateDecision is the outcome for one metric of a family and the p-values
// behind it, adjusted by Holm.
type GateDecision struct {
	Outcome  Outcome
	Adjusted GateClaims
}

// DecideGates gives every metric of a family its outcome at one-sided level
// alpha: with a chance of at least 1 − alpha none of the regressions is false,
// and with the same chance none of the passes; each claim is a family of its
// own. The result has the order of the family. It fails when a p-value or alpha
// is out of range.
func DecideGates(family []GateClaims, alpha float64) ([]GateDecision, error) {
	if err := checkAlpha(alpha); err != nil {
		return nil, err
	}
	notWorse, worse := make([]float64, len(family)), make([]float64, len(family))
	for i, c := range family {
		notWorse[i], worse[i] = c.NotWorse, c.Worse
	}
	adjustedNotWorse, err := Holm(notWorse)
	if err != nil {
		return nil, fmt.Errorf("claims of no regression: %w", err)
	}
	adjustedWorse, err := Holm(worse)
	if err != nil {
		return nil, fmt.Errorf("claims of a regression: %w", err)
	}
	decisions := make([]GateDecision, len(family))
	for i := range family {
		adjusted := GateClaims{NotWorse: adjustedNotWorse[i], Worse: adjustedWorse[i]}
		decisions[i] = GateDecision{Outcome: adjusted.Outcome(alpha), Adjusted: adjusted}
	}
	return decisions, nil
}

// Outcome is what the claims show at one-sided level alpha. P-values of a
// family are to be adjusted before, as DecideGates does. What is not a number
// shows nothing.
func (c GateClaims) Outcome(alpha float64) Outcome {
	switch {
	case c.Worse <= alpha:
		return Regression
	case c.NotWorse <= alpha:
		return Pass
	}
	return Undecided
}
