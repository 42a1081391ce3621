package witness

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/probe/rtt"
)

const (
	// within is how far apart a quantile may be.
	within   = 0.10
	withinNs = 5 * time.Microsecond
	// withinRank is what it may be off by instead, in rank. Where the machine
	// is starved, a packet waits between the packet socket and the program for
	// as long as something else runs, so that single times differ by anything;
	// but the order of all times hardly changes.
	withinRank = 0.005
	// withinCount of all round trips may be seen by one of the two alone.
	withinCount = 0.005
)

// Agree says how a histogram differs from durations that a packet socket gave,
// more than it may; nil: it does not. The text has the figures of both.
func Agree(h rtt.Histogram, trips []time.Duration) (figures string, err error) {
	sorted := slices.Sorted(slices.Values(trips))
	n := float64(len(sorted))
	figures = fmt.Sprintf("%d round trips, packet socket %d", h.Count(), len(sorted))
	if len(sorted) == 0 || math.Abs(float64(h.Count())-n) > withinCount*n {
		return figures, fmt.Errorf("round trips: %d, and a packet socket saw %d", h.Count(), len(sorted))
	}
	for _, q := range []float64{.50, .99} {
		got, _ := h.Quantile(q)
		want := sorted[max(1, int(math.Ceil(q*n)))-1]
		// The resolution of the histogram is not a difference of ranks.
		low, _ := slices.BinarySearch(sorted, got-got/64)
		high, _ := slices.BinarySearch(sorted, got+got/64+1)
		figures += fmt.Sprintf("; p%g %v, packet socket %v", 100*q, got, want)
		near := (got - want).Abs() <= max(withinNs, time.Duration(within*float64(want)))
		inRank := float64(low)/n <= q+withinRank && float64(high)/n >= q-withinRank
		if !near && !inRank {
			err = fmt.Errorf("p%g is %v, and by a packet socket %v: rank %.4f to %.4f", 100*q, got, want, float64(low)/n, float64(high)/n)
		}
	}
	return figures, err
}
