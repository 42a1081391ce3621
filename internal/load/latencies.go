package load

import (
	"math"
	"slices"
	"time"
)

// Latencies are all that were measured, the shortest first.
type Latencies []time.Duration

// SortedLatencies returns what was measured in order.
func SortedLatencies(measured []time.Duration) Latencies {
	return slices.Sorted(slices.Values(measured))
}

// Mean is their arithmetic mean; 0 of none.
func (l Latencies) Mean() time.Duration {
	if len(l) == 0 {
		return 0
	}
	var sum float64
	for _, d := range l {
		sum += float64(d)
	}
	return time.Duration(math.Round(sum / float64(len(l))))
}

// SD is their standard deviation, that of a sample: divided by n − 1. Fewer
// than two have none.
func (l Latencies) SD() (time.Duration, bool) {
	if len(l) < 2 {
		return 0, false
	}
	mean, squares := float64(l.Mean()), 0.0
	for _, d := range l {
		squares += (float64(d) - mean) * (float64(d) - mean)
	}
	return time.Duration(math.Round(math.Sqrt(squares / float64(len(l)-1)))), true
}

// tailSamples is how many latencies must lie beyond a percentile for it to say
// something. It makes 10,000 for the 99.9th (docs/methodology.md).
const tailSamples = 10

// Percentile returns the least latency that a share q of all, 0 to 1, do not
// exceed: the nearest rank. It is false where too few are measured: fewer than
// ten beyond it above the median, or none.
func (l Latencies) Percentile(q float64) (time.Duration, bool) {
	rank := int(math.Ceil(q * float64(len(l))))
	if rank < 1 || rank > len(l) {
		return 0, false
	}
	if beyond := float64(len(l)) * (1 - q); q > 0.5 && beyond < tailSamples-1e-6 {
		return 0, false
	}
	return l[rank-1], true
}
