package mlrsearch

import (
	"cmp"
	"slices"
	"time"
)

// Class says what the trials at one load make of it for a goal.
type Class int

// The classes of loads.
const (
	Undecided  Class = iota // more trials are needed
	LowerBound              // the load achieves the goal, whatever further trials up to the duration sum say
	UpperBound              // the load fails it
)

// Classify applies the document's load classification (appendix A) to all
// trials at one load.
func (g Goal) Classify(trials []Measurement) Class {
	var fullLow, fullHigh, shortLow, shortHigh float64 // seconds
	for _, m := range trials {
		seconds, short, high := m.Duration.Seconds(), m.Duration < g.FinalTrial, m.LossRatio > g.LossRatio
		switch {
		case short && high:
			shortHigh += seconds
		case short:
			shortLow += seconds
		case high:
			fullHigh += seconds
		default:
			fullLow += seconds
		}
	}
	// Short low-loss trials may only make up for short high-loss ones: longer
	// trials at the same load could well lose more.
	balancing := shortLow * g.ExceedRatio / (1 - g.ExceedRatio)
	high := fullHigh + max(0, shortHigh-balancing)
	whole := max(fullLow+high, g.DurationSum.Seconds())
	quantile := whole * g.ExceedRatio
	// If all that is missing is lossless, or lossy.
	optimistic, pessimistic := high <= quantile, whole-fullLow <= quantile
	switch {
	case optimistic && pessimistic:
		return LowerBound
	case !optimistic && !pessimistic:
		return UpperBound
	}
	return Undecided
}

// QuantileLoss returns the loss ratio at the goal's exceed ratio among the
// full-length trials at one load, time that was not measured counting as lost
// whole. The load times 1 − QuantileLoss is the document's conditional
// throughput (appendix B).
func (g Goal) QuantileLoss(trials []Measurement) float64 {
	var full []Measurement
	var sum time.Duration
	for _, m := range trials {
		if m.Duration >= g.FinalTrial {
			full = append(full, m)
			sum += m.Duration
		}
	}
	slices.SortStableFunc(full, func(a, b Measurement) int { return cmp.Compare(a.LossRatio, b.LossRatio) })
	remaining := max(g.DurationSum, sum).Seconds() * (1 - g.ExceedRatio)
	loss := 1.0
	for i, m := range full {
		if i > 0 && remaining <= 0 {
			return loss
		}
		loss = m.LossRatio
		remaining -= m.Duration.Seconds()
	}
	if remaining > 0 {
		return 1
	}
	return loss
}
