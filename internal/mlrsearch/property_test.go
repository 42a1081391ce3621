package mlrsearch

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func drawConfig(t *rapid.T) Config {
	c := Config{
		Min:       rapid.Float64Range(1, 1e4).Draw(t, "min"),
		Preceding: rapid.IntRange(0, 3).Draw(t, "preceding"),
		Budget:    100 * time.Hour,
	}
	c.Max = c.Min * math.Pow(10, rapid.Float64Range(0.1, 5).Draw(t, "decades"))
	for _, name := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "goals")] {
		final := time.Duration(rapid.IntRange(1, 4).Draw(t, "quarters")) * time.Second / 4
		c.Goals = append(c.Goals, Goal{
			Name:         name,
			LossRatio:    rapid.SampledFrom([]float64{0, 0.001, 0.005, 0.1}).Draw(t, "lossRatio"),
			ExceedRatio:  rapid.SampledFrom([]float64{0, 0.2, 0.5}).Draw(t, "exceedRatio"),
			Width:        rapid.SampledFrom([]float64{0.005, 0.02, 0.1}).Draw(t, "width"),
			InitialTrial: final / time.Duration(rapid.IntRange(1, 4).Draw(t, "initial")),
			FinalTrial:   final,
			DurationSum:  final * time.Duration(rapid.IntRange(1, 7).Draw(t, "sum")),
		})
	}
	return c
}

// mostTrials bounds a search that halves and doubles: per target it looks at
// so many loads, each until its class is certain. Searches that take hints or
// must go back for another goal's sake stay below it by far.
func mostTrials(c Config) int {
	loads, all := newGrid(c.Min, c.Max, narrowest(c.Goals)), 0
	looks := 3*int(math.Ceil(math.Log2(float64(loads.steps+1)))) + 8
	for _, g := range c.Goals {
		for _, t := range targets(g, c.Preceding, loads) {
			all += looks * int(math.Ceil(float64(t.goal.DurationSum)/float64(t.trial)))
		}
	}
	return all * len(c.Goals)
}

// The capacity of a noiseless network lies between the bounds, which are as
// close as asked for; and there are not many trials.
func TestPropertyBoundsHoldTheCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		rate := c.Min * math.Pow(c.Max/c.Min, rapid.Float64Range(-0.2, 1.2).Draw(t, "rate"))
		r, err := Run(context.Background(), &network{loss: bucket(rate, 0)}, c)
		if err != nil {
			t.Fatal(err)
		}
		if n, most := len(r.Trials), mostTrials(c); n > most {
			t.Errorf("%d trials, more than %d", n, most)
		}
		for _, g := range r.Goals {
			capacity := rate / (1 - g.Goal.LossRatio)
			switch g.Status {
			case Regular:
				if g.Lower.Load > capacity*(1+1e-9) || g.Upper.Load < capacity*(1-1e-9) || relativeWidth(g.Lower.Load, g.Upper.Load) > g.Goal.Width*(1+1e-6) {
					t.Errorf("%+v for a capacity of %v", g, capacity)
				}
			case AtLeastMax:
				if capacity < c.Max*(1-1e-9) || g.Upper != nil {
					t.Errorf("%+v for a capacity of %v", g, capacity)
				}
			case BelowMin:
				if capacity > c.Min*(1+1e-9) || g.Lower != nil {
					t.Errorf("%+v for a capacity of %v", g, capacity)
				}
			default:
				t.Errorf("%+v", g)
			}
		}
	})
}

// Whatever a network answers, the search ends, within its budget, and its
// bounds are what the document calls so.
func TestPropertyAnyNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Budget = time.Duration(rapid.IntRange(1, 600).Draw(t, "budget")) * time.Second
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		shape := rapid.SampledFrom([]float64{0, 0.001, 0.1, 1}).Draw(t, "shape")
		const overhead = 50 * time.Millisecond
		r, err := Run(context.Background(), &network{loss: func(_, _, _ float64) float64 {
			return max(0, shape*(2*random.Float64()-1))
		}, overhead: overhead}, c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Elapsed > c.Budget+overhead {
			t.Errorf("%s of %s", r.Elapsed, c.Budget)
		}
		for _, g := range r.Goals {
			checkGoal(t, r, g)
		}
	})
}

func checkGoal(t interface{ Errorf(string, ...any) }, r Result, g GoalResult) {
	byLoad := map[float64][]Measurement{}
	for _, m := range r.Trials {
		byLoad[m.Load] = append(byLoad[m.Load], m)
	}
	upper, lower := math.Inf(1), 0.0
	for load, trials := range byLoad {
		if g.Goal.Classify(trials) == UpperBound {
			upper = min(upper, load)
		}
	}
	for load, trials := range byLoad {
		if load < upper && g.Goal.Classify(trials) == LowerBound {
			lower = max(lower, load)
		}
	}
	if (g.Upper == nil) != math.IsInf(upper, 1) || g.Upper != nil && g.Upper.Load != upper {
		t.Errorf("%s: upper bound %+v, and the trials say %v", g.Goal.Name, g.Upper, upper)
	}
	if (g.Lower == nil) != (lower == 0) || g.Lower != nil && g.Lower.Load != lower {
		t.Errorf("%s: lower bound %+v, and the trials say %v", g.Goal.Name, g.Lower, lower)
	}
	if (g.Status == Regular) != (g.Reason == "") {
		t.Errorf("%s: %s because of %q", g.Goal.Name, g.Status, g.Reason)
	}
}
