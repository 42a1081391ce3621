package stats

import "math"

// Welch is Welch's t-test of the means of two independent samples (Biometrika
// 34 (1947) 28): a second opinion that readers know, for data without wild
// values.
type Welch struct {
	NA, NB int
	// Difference is the mean of b less the mean of a, Interval its interval;
	// the interval's coverage is the confidence asked for, which holds for
	// normal data.
	Difference float64
	Interval   Interval
	// T is the statistic, DF its degrees of freedom by Welch and Satterthwaite.
	T, DF float64
	// Greater, Less and TwoSided are the p-values of "the mean of b is at most
	// that of a", "at least" and "equal".
	Greater, Less, TwoSided float64
	// Absent says why there is no test; the p-values are then 1, T and DF not
	// numbers and the interval absent.
	Absent string
}

// WelchT tests whether the means of the independent samples a and b differ. It
// fails when a sample is empty or holds a value that is not finite, and when
// confidence is not between 0 and 1.
func WelchT(a, b []float64, confidence float64) (Welch, error) {
	s, err := newTwoSamples(a, b)
	if err != nil {
		return Welch{}, err
	}
	if err := checkConfidence(confidence); err != nil {
		return Welch{}, err
	}
	meanA, sdA := meanSD(s.a)
	meanB, sdB := meanSD(s.b)
	w := Welch{NA: len(s.a), NB: len(s.b), Difference: meanB - meanA, Interval: unbounded(confidence),
		T: math.NaN(), DF: math.NaN(), Greater: 1, Less: 1, TwoSided: 1}
	varA, varB := sdA*sdA/float64(w.NA), sdB*sdB/float64(w.NB)
	se := math.Sqrt(varA + varB)
	switch {
	case w.NA < 2 || w.NB < 2:
		w.Absent = "need at least 2 values on both sides for Welch's t"
	case se == 0:
		w.Absent = "the values do not vary on either side, so Welch's t has no scale"
	}
	if w.Absent != "" {
		w.Interval.Absent = w.Absent
		return w, nil
	}
	// Shares of the squared error rather than variances: no overflow.
	shareA, shareB := varA/(se*se), varB/(se*se)
	w.DF = 1 / (shareA*shareA/float64(w.NA-1) + shareB*shareB/float64(w.NB-1))
	w.T = w.Difference / se
	w.Greater, w.Less = studentTail(w.T, w.DF), studentTail(-w.T, w.DF)
	w.TwoSided = 2 * studentTail(math.Abs(w.T), w.DF)
	half := se * studentQuantile((1-confidence)/2, w.DF)
	w.Interval = Interval{Low: w.Difference - half, High: w.Difference + half, Confidence: confidence, Coverage: confidence}
	return w, nil
}
