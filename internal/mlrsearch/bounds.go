package mlrsearch

import (
	"maps"
	"slices"
)

// history is every trial so far, by index of its load.
type history map[int][]Measurement

// bounds are the relevant bounds of a goal or target as indices: upper is the
// smallest upper bound, lower the largest lower bound below it. Where there is
// none, lower is -1 and upper is above every index.
type bounds struct{ lower, upper int }

func (h history) bounds(g Goal, beyond int) bounds {
	b := bounds{-1, beyond}
	for _, i := range slices.Sorted(maps.Keys(h)) {
		switch g.Classify(h[i]) {
		case LowerBound:
			b.lower = i
		case UpperBound:
			b.upper = i
			return b
		}
	}
	return b
}
