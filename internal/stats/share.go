package stats

import "fmt"

// Share is a share of yes among N answers, with its exact interval (Clopper and
// Pearson, Biometrika 26 (1934) 404).
type Share struct {
	Count, N int
	Share    float64
	Interval Interval
}

// ShareOf estimates the chance behind count of n. It fails when n is below 1,
// count is not between 0 and n, or confidence not between 0 and 1.
func ShareOf(count, n int, confidence float64) (Share, error) {
	if n < 1 || count < 0 || count > n {
		return Share{}, fmt.Errorf("%d of %d is no share", count, n)
	}
	if err := checkConfidence(confidence); err != nil {
		return Share{}, err
	}
	tail := (1 - confidence) / 2
	iv := Interval{High: 1, Confidence: confidence, Coverage: confidence}
	if count > 0 { // the chance with which as many or more are as rare as tail
		iv.Low = bisect(1, func(p float64) bool { return betaShare(p, float64(count), float64(n-count+1)) >= tail })
	}
	if count < n {
		iv.High = bisect(1, func(p float64) bool { return betaShare(p, float64(count+1), float64(n-count)) >= 1-tail })
	}
	return Share{Count: count, N: n, Share: float64(count) / float64(n), Interval: iv}, nil
}
