package doctor

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// A burst is judged where each side of the fall has so many intervals.
const (
	leastBurst = 3
	leastFall  = 0.15 // of the first rate
	agreement  = 0.9  // share of the intervals on each side that must agree
)

// shaping looks for a rate that falls once and stays down: a token bucket that
// was full after the rest and ran dry.
func shaping(s Snapshot) Finding {
	if s.Burst == nil {
		return unknown("", s.Missing[PartBurst])
	}
	b := *s.Burst
	where := b.From + " to " + b.To
	if len(b.Rates) < 2*leastBurst {
		return unknown(where, fmt.Sprintf("there are %d intervals of load, too few to tell", len(b.Rates)))
	}
	at, before, after := fall(b.Rates)
	if at == 0 {
		return ok(where, "%.2f Gbit/s (median) for %s after %s of rest, without a fall that stays", median(b.Rates)/1e9, span(b, len(b.Rates)), b.Rest)
	}
	credit := (before - after) / 8 * b.Interval.Seconds() * float64(at)
	return found(Warning, where,
		fmt.Sprintf("%.2f Gbit/s for %s, then %.2f: as from a bucket of some %.1f GB that was full after %s of rest", before/1e9, span(b, at), after/1e9, credit/1e9, b.Rest),
		"use instances with a sustained rate, or empty the bucket before each trial (`omit`: longer than "+span(b, at).String()+") and say so in the result")
}

func span(b Burst, n int) time.Duration {
	return (time.Duration(n) * b.Interval).Round(100 * time.Millisecond)
}

// fall finds where rates fall and stay down: the number of intervals before it
// and the medians of both sides. At is 0 where there is none.
func fall(rates []float64) (at int, before, after float64) {
	for _, r := range rates {
		if math.IsNaN(r) || math.IsInf(r, 0) {
			return 0, 0, 0
		}
	}
	best := 0.0 // agreement of both sides
	for k := leastBurst; k <= len(rates)-leastBurst; k++ {
		high, low := median(rates[:k]), median(rates[k:])
		if high <= 0 || low > (1-leastFall)*high {
			continue
		}
		middle := (high + low) / 2
		above := shareWhere(rates[:k], func(r float64) bool { return r > middle })
		below := shareWhere(rates[k:], func(r float64) bool { return r < middle })
		if above >= agreement && below >= agreement && above+below > best {
			best, at, before, after = above+below, k, high, low
		}
	}
	return at, before, after
}

func shareWhere(rates []float64, is func(float64) bool) float64 {
	n := 0
	for _, r := range rates {
		if is(r) {
			n++
		}
	}
	return float64(n) / float64(len(rates))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
