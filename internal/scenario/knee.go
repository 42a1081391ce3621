package scenario

import (
	"fmt"
	"slices"
)

// step is one load of a series with more and more streams.
type step struct {
	Streams    int     `json:"streams"`
	Throughput float64 `json:"throughput"` // bit/s of payload
}

// knee is from how many streams on more bring little more.
type knee struct {
	at   int     // the least number that reaches kneeShare of the peak
	low  int     // the same number if throughputs were off by the margin, to
	high int     // either side: at lies between
	peak float64 // the largest throughput of the series, in bit/s
}

// kneeShare of the peak counts as having reached it.
const kneeShare = 0.95

// findKnee finds the knee of a series in ascending order of streams. Its
// interval is what the margin of throughput makes of it within one trial; what
// trials differ by, blocks tell.
func findKnee(series []step) (knee, error) {
	if len(series) == 0 {
		return knee{}, fmt.Errorf("a series of no loads has no knee")
	}
	k := knee{peak: slices.MaxFunc(series, func(a, b step) int {
		switch {
		case a.Throughput < b.Throughput:
			return -1
		case a.Throughput > b.Throughput:
			return 1
		}
		return 0
	}).Throughput}
	reaching := func(share float64) int {
		for _, s := range series {
			if s.Throughput >= share*k.peak {
				return s.Streams
			}
		}
		return series[len(series)-1].Streams // the peak itself, at the latest
	}
	k.at, k.low, k.high = reaching(kneeShare), reaching(kneeShare-throughput.Margin), reaching(kneeShare+throughput.Margin)
	return k, nil
}

// filling is the least number of streams that fills a link, given what it
// carries in bit/s of payload; 0 if none of the series does.
func filling(series []step, link float64) int {
	for _, s := range series {
		if s.Throughput >= kneeShare*link {
			return s.Streams
		}
	}
	return 0
}

// streamCounts are the numbers of streams of a series: steps of at most a half
// more, and the largest itself.
func streamCounts(most int) []int {
	var counts []int
	for base := 1; base <= most; base *= 2 {
		counts = append(counts, base)
		if between := base + base/2; base > 1 && between <= most {
			counts = append(counts, between)
		}
	}
	if counts[len(counts)-1] != most {
		counts = append(counts, most)
	}
	return counts
}
