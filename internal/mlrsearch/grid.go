package mlrsearch

import (
	"math"
	"slices"
)

// grid is the loads of a search: load i is min·(max/min)^(i/steps), so that
// neighbours are at most the narrowest goal's width apart.
type grid struct {
	min, max float64
	steps    int // the index of max
}

func newGrid(lowest, highest, width float64) grid {
	return grid{lowest, highest, gridSteps(lowest, highest, width)}
}

func narrowest(goals []Goal) float64 {
	return slices.MinFunc(goals, func(a, b Goal) int {
		if a.Width < b.Width {
			return -1
		}
		return 1
	}).Width
}

func gridSteps(lowest, highest, width float64) int {
	return int(min(math.Ceil(math.Log(highest/lowest)/-math.Log1p(-width)), math.MaxInt32))
}

// load returns the load of index i, the ends exactly.
func (g grid) load(i int) float64 {
	switch i {
	case 0:
		return g.min
	case g.steps:
		return g.max
	}
	return g.min * math.Pow(g.max/g.min, float64(i)/float64(g.steps))
}

// floor returns the highest index whose load is at most load, and 0 where
// none is.
func (g grid) floor(load float64) int {
	if load <= g.min {
		return 0
	}
	i := int(math.Log(load/g.min) / math.Log(g.max/g.min) * float64(g.steps))
	i = min(max(i, 0), g.steps)
	for i < g.steps && g.load(i+1) <= load { // rounding
		i++
	}
	for i > 0 && g.load(i) > load {
		i--
	}
	return i
}

// gap returns how many indices apart loads may be that are no further apart
// than width; at least 1.
func (g grid) gap(width float64) int {
	step := math.Log(g.max/g.min) / float64(g.steps)
	return max(1, int(-math.Log1p(-width)/step*(1+1e-9)))
}

// relativeWidth is (upper − lower) / upper.
func relativeWidth(lower, upper float64) float64 { return (upper - lower) / upper }
