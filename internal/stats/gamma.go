package stats

import "math"

// chiSquaredShare is P(X ≤ x) for chi-squared with df degrees of freedom: the
// regularised incomplete gamma function by its power series below the mean, and
// by the continued fraction 8.9.2 of the NIST Digital Library of Mathematical
// Functions above it.
func chiSquaredShare(x, df float64) float64 {
	if x <= 0 {
		return 0
	}
	a, x := df/2, x/2
	lgamma, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lgamma)
	if x < a+1 {
		term, sum := 1/a, 1/a
		for n := 1.0; term > sum*1e-17; n++ {
			term *= x / (a + n)
			sum += term
		}
		return min(1, front*sum)
	}
	return 1 - front*gammaFraction(x, a)
}

// gammaFraction evaluates the continued fraction by Lentz's method.
func gammaFraction(x, a float64) float64 {
	const precision, maxSteps = 1e-16, 100_000
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	value := d
	for n := 1.0; n < maxSteps; n++ {
		term := -n * (n - a)
		b += 2
		d = 1 / nonzero(term*d+b)
		c = nonzero(b + term/c)
		value *= c * d
		if math.Abs(c*d-1) < precision {
			break
		}
	}
	return value
}

// chiSquaredQuantile is the x with P(X ≤ x) = share.
func chiSquaredQuantile(share, df float64) float64 {
	high := df
	for chiSquaredShare(high, df) < share && high < math.MaxFloat64/4 {
		high *= 2
	}
	return bisect(high, func(x float64) bool { return chiSquaredShare(x, df) >= share })
}
