package mlrsearch

import (
	"math"
	"time"
)

// target is a goal or one of the coarser goals that lead up to it.
type target struct {
	goal  Goal          // as loads are classified for this target
	trial time.Duration // of new trials
	gap   int           // how many indices of the grid the bounds may be apart
}

// targets returns the chain of a goal, coarsest first, as CSIT derives it:
// duration sums in equal ratios from the initial trial to the goal's sum, and
// widths that double with each step back.
func targets(g Goal, preceding int, loads grid) []target {
	var chain []target
	ratio := 1.0
	if preceding > 0 {
		ratio = math.Pow(float64(g.InitialTrial)/float64(g.DurationSum), 1/float64(preceding))
	}
	for back := preceding; back >= 0; back-- {
		t := g
		switch back {
		case 0:
		case preceding:
			t.DurationSum = g.InitialTrial
		default:
			t.DurationSum = time.Duration(float64(g.DurationSum) * math.Pow(ratio, float64(back)))
		}
		t.FinalTrial = min(g.FinalTrial, t.DurationSum)
		t.Width = min(g.Width*math.Pow(2, float64(back)), 0.5)
		chain = append(chain, target{goal: t, trial: t.FinalTrial, gap: loads.gap(max(t.Width, g.Width))})
	}
	return chain
}
