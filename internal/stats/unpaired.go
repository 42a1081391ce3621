package stats

import "fmt"

// UnpairedShift is what two independent samples say about their distance, on
// the scale of the values: logarithms for ratios.
type UnpairedShift struct {
	NA, NB int
	// Estimate is the Hodges–Lehmann estimate: the median of all differences
	// b − a.
	Estimate float64
	// Interval is the exact Mann–Whitney interval of the shift. Without ties it
	// is that of R's wilcox.test(b, a, conf.int = TRUE, exact = TRUE).
	Interval Interval
	// Tied says that a side has equal values, so that midranks and the
	// permutation distribution decided.
	Tied bool
	// Exact is false when the samples are so large that p-values come from the
	// normal approximation.
	Exact bool
	// SmallestP is the smallest one-sided p-value that such samples can attain.
	SmallestP float64
}

// ShiftBetween estimates how far b lies above a, two independent samples, with
// an interval at the wanted confidence (0.95 is 95 %). It fails when a sample
// is empty or holds a value that is not finite, when there are more than 4
// million differences, and when confidence is not between 0 and 1.
func ShiftBetween(a, b []float64, confidence float64) (UnpairedShift, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return UnpairedShift{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return UnpairedShift{}, err
	}
	if err := s.checkSize(); err != nil {
		return UnpairedShift{}, err
	}
	differences := s.differences()
	interval, exact := s.interval(differences, confidence)
	return UnpairedShift{
		NA:        len(s.a),
		NB:        len(s.b),
		Estimate:  medianSorted(differences),
		Interval:  interval,
		Tied:      hasTies(s.a) || hasTies(s.b),
		Exact:     exact,
		SmallestP: UnpairedSmallestP(len(s.a), len(s.b)),
	}, nil
}

func hasTies(sorted []float64) bool {
	for i := range len(sorted) - 1 {
		if sorted[i] == sorted[i+1] {
			return true
		}
	}
	return false
}

// UnpairedSmallestP is the smallest p-value that a one-sided test of na against
// nb values can attain: one in all ways to deal them, all of a below all of b.
func UnpairedSmallestP(na, nb int) float64 { return 1 / combinations(na+nb, na) }

// PBetweenAtMost returns the p-value of the hypothesis "b lies above a by at
// most m", against the alternative that it lies further above, by the
// Mann–Whitney test. As for pairs, a difference equal to m is no evidence
// against the hypothesis. It fails when a sample is empty or a value is not
// finite.
func PBetweenAtMost(a, b []float64, m float64) (float64, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return 0, err
	}
	if err := checkFinite([]float64{m}); err != nil {
		return 0, fmt.Errorf("shift to test: %w", err)
	}
	p, _ := s.pAtMost(m)
	return p, nil
}

// PBetweenAtLeast returns the p-value of the hypothesis "b lies above a by at
// least m". It fails as PBetweenAtMost does.
func PBetweenAtLeast(a, b []float64, m float64) (float64, error) {
	return PBetweenAtMost(b, a, -m)
}

// ClaimsBetween tests the claims about two independent samples, oriented so
// that b above a is better; ClaimsOf says what margin is. It fails when a
// sample is empty, a value is not finite, or the margin is negative.
func ClaimsBetween(a, b []float64, margin float64) (Claims, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return Claims{}, err
	}
	if err := checkMargin(margin); err != nil {
		return Claims{}, err
	}
	var claims Claims
	claims.Better, _ = s.pAtMost(margin)
	claims.Worse, _ = s.turned().pAtMost(margin)
	above, _ := s.pAtMost(-margin)
	below, _ := s.turned().pAtMost(-margin)
	claims.Equivalent = max(above, below)
	return claims, nil
}
