package stats

import "fmt"

// VerdictAlpha is the level of every one-sided verdict test. It makes the
// verdict of a single comparison agree with the two-sided 95 % interval.
const VerdictAlpha = 0.025

// Verdict is the decision about one comparison.
type Verdict string

// The four verdicts.
const (
	Better       Verdict = "better"       // the shift is above the margin
	Worse        Verdict = "worse"        // the shift is below minus the margin
	Equivalent   Verdict = "equivalent"   // the shift is inside the margin
	Inconclusive Verdict = "inconclusive" // none of them is shown
)

// Claims holds one-sided p-values, one for each claim about a comparison.
type Claims struct {
	Better     float64 // of the hypothesis "the shift is at most the margin"
	Worse      float64 // of "the shift is at least minus the margin"
	Equivalent float64 // of "the shift is at or outside the margin": the larger of two tests
}

// NoClaims is the evidence of a comparison that was declared but could not be
// measured. It takes its place in the family, so that a failure does not make
// it easier for the others to be significant.
func NoClaims() Claims { return Claims{Better: 1, Worse: 1, Equivalent: 1} }

// ClaimsOf tests the claims about the differences d of one comparison,
// oriented so that positive is better. Margin is the smallest shift of
// interest on the scale of d (ln(1 + m) for a ratio margin m). It fails when d
// is empty, a value is not finite, or the margin is negative.
func ClaimsOf(d []float64, margin float64) (Claims, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return Claims{}, err
	}
	if err := checkMargin(margin); err != nil {
		return Claims{}, err
	}
	neg := negated(sorted)
	return Claims{
		Better:     pAtMost(sorted, margin),
		Worse:      pAtMost(neg, margin),
		Equivalent: max(pAtMost(neg, -margin), pAtMost(sorted, -margin)),
	}, nil
}

func checkMargin(margin float64) error {
	if margin >= 0 && margin <= maxMagnitude {
		return nil
	}
	return fmt.Errorf("margin %v is not a finite number from 0 up", margin)
}

// Decision is the verdict about one comparison of a family and the p-values
// behind it, adjusted by Holm.
type Decision struct {
	Verdict  Verdict
	Adjusted Claims
}

// Decide gives every comparison of a family its verdict at one-sided level
// alpha. Better and worse exclude each other, so a comparison enters the
// family of differences once, with the smaller of the two p-values (the other
// is at least ½ and is scaled by the same step); the claims of equivalence are
// a family of their own. The result has the order of the family. It fails when
// a p-value or alpha is out of range.
func Decide(family []Claims, alpha float64) ([]Decision, error) {
	if err := checkAlpha(alpha); err != nil {
		return nil, err
	}
	differs := make([]float64, len(family))
	equivalent := make([]float64, len(family))
	for i, c := range family {
		differs[i] = min(c.Better, c.Worse) // not a number if either is
		equivalent[i] = c.Equivalent
	}
	if err := checkProbabilities(differs); err != nil {
		return nil, fmt.Errorf("claims of a difference: %w", err)
	}
	if err := checkProbabilities(equivalent); err != nil {
		return nil, fmt.Errorf("claims of equivalence: %w", err)
	}
	adjustedDiffers, factors := holm(differs)
	adjustedEquivalent, _ := holm(equivalent)
	decisions := make([]Decision, len(family))
	for i, c := range family {
		adjust := func(p float64) float64 {
			return max(adjustedDiffers[i], min(1, factors[i]*p))
		}
		adjusted := Claims{Better: adjust(c.Better), Worse: adjust(c.Worse), Equivalent: adjustedEquivalent[i]}
		decisions[i] = Decision{Verdict: adjusted.verdict(alpha), Adjusted: adjusted}
	}
	return decisions, nil
}

func (c Claims) verdict(alpha float64) Verdict {
	switch {
	case c.Better <= alpha:
		return Better
	case c.Worse <= alpha:
		return Worse
	case c.Equivalent <= alpha:
		return Equivalent
	}
	return Inconclusive
}
