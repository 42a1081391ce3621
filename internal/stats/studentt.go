package stats

import "math"

// studentTail is P(T ≥ t) for Student's t with df degrees of freedom, which
// need not be a whole number.
func studentTail(t, df float64) float64 {
	var tail float64
	if t*t <= df { // on this side 1 − x keeps the digits of a small t
		x := t * t / (df + t*t)
		tail = (1 - betaShare(x, 0.5, df/2)) / 2
	} else {
		tail = betaShare(df/(df+t*t), df/2, 0.5) / 2
	}
	if t < 0 {
		return 1 - tail
	}
	return tail
}

// studentQuantile is the t with P(T ≥ t) = tail, for a tail below ½.
func studentQuantile(tail, df float64) float64 {
	high := 1.0
	for studentTail(high, df) > tail && high < math.MaxFloat64/4 {
		high *= 2
	}
	return bisect(high, func(t float64) bool { return studentTail(t, df) <= tail })
}

// bisect returns the smallest number between 0 and high at which reached is
// true, to the last bit but one; reached must not turn back to false.
func bisect(high float64, reached func(float64) bool) float64 {
	low := 0.0
	for range 200 {
		middle := midpoint(low, high)
		if middle <= low || middle >= high {
			break
		}
		if reached(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
