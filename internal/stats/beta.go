package stats

import "math"

// betaShare is the regularised incomplete beta function I_x(a, b), the
// distribution function of a beta variable, for a and b above 0: by the
// continued fraction 8.17.22 of the NIST Digital Library of Mathematical
// Functions, on the side where it converges fast. Its relative error is below
// 1e-12 up to a + b of some thousands.
func betaShare(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - betaTail(1-x, b, a)
	}
	return betaTail(x, a, b)
}

func betaTail(x, a, b float64) float64 {
	both, _ := math.Lgamma(a + b)
	first, _ := math.Lgamma(a)
	second, _ := math.Lgamma(b)
	front := math.Exp(both - first - second + a*math.Log(x) + b*math.Log1p(-x))
	return front / (a * betaFraction(x, a, b))
}

// betaFraction evaluates the continued fraction by Lentz's method. It needs
// about √max(a, b) steps.
func betaFraction(x, a, b float64) float64 {
	const precision, maxSteps = 1e-16, 100_000
	value, c, d := 1.0, 1.0, 0.0
	for m := 0.0; m < maxSteps; m++ {
		var last float64
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		even := (m + 1) * (b - m - 1) * x / ((a + 2*m + 1) * (a + 2*m + 2))
		for _, term := range []float64{odd, even} {
			d = 1 / nonzero(1+term*d)
			c = nonzero(1 + term/c)
			last = c * d
			value *= last
		}
		if math.Abs(last-1) < precision {
			break
		}
	}
	return value
}

// tiny takes the place of a denominator that is zero.
const tiny = 1e-300

func nonzero(x float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

// binomialTail is P(B ≤ k) for B binomial(n, p).
func binomialTail(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return betaShare(1-p, float64(n-k), float64(k+1))
}
