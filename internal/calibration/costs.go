package calibration

import (
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Costs is what a campaign's time went into, from the times in its journal.
type Costs struct {
	Trials []TrialCost `json:"trials"`
	// Turn is from the end of one variant's trials to the beginning of the
	// next one's, whose cluster is there: pausing, resuming, waiting for
	// answers, on a shared cluster also installing. Cluster is the same where a
	// cluster is made anew. Nil: there was none in the journal.
	Turn    *Cost `json:"turn,omitempty"`
	Cluster *Cost `json:"cluster,omitempty"`
}

// TrialCost is what a trial of a cell takes, and how much of it is measured.
type TrialCost struct {
	Cell     string  `json:"cell"`
	N        int     `json:"n"` // ok trials
	Seconds  float64 `json:"seconds"`
	Measured float64 `json:"measured"` // seconds
}

// Cost is a median of N times; of an even number the lower one, as an
// interruption can only add to a time.
type Cost struct {
	N       int     `json:"n"`
	Seconds float64 `json:"seconds"`
}

// costsOf reads times off a journal. The campaign's begin, where it is known,
// is when its first cluster began to be made.
func costsOf(p plan.Plan, trials []result.Trial, begin time.Time) Costs {
	c := Costs{Trials: []TrialCost{}}
	for _, cell := range p.Cells {
		var took, measured []time.Duration
		for _, t := range trials {
			if t.Cell != cell.ID || t.Status != result.OK || t.Window == nil {
				continue
			}
			took = append(took, t.End.Sub(t.Start))
			measured = append(measured, t.Window.End.Sub(t.Window.Start))
		}
		if cost := costOf(took); cost != nil && costOf(measured) != nil {
			c.Trials = append(c.Trials, TrialCost{cell.ID, cost.N, cost.Seconds, costOf(measured).Seconds})
		}
	}
	turns, clusters := gaps(p, trials, begin)
	c.Turn, c.Cluster = costOf(turns), costOf(clusters)
	return c
}

// gaps lists the times between variants: with the cluster there, and with one
// made meanwhile.
func gaps(p plan.Plan, trials []result.Trial, begin time.Time) (turns, clusters []time.Duration) {
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b result.Trial) int { return a.Start.Compare(b.Start) })
	seen := map[string]bool{}
	end := begin
	for i, t := range sorted {
		same := i > 0 && sorted[i-1].Block == t.Block && sorted[i-1].Variant == t.Variant
		gap := t.Start.Sub(end)
		switch {
		case same || end.IsZero():
		case p.Shared():
			if i > 0 { // before the first nobody knows what there was to do
				turns = append(turns, gap)
			}
		case p.FreshCluster || !seen[t.Variant]:
			clusters = append(clusters, gap)
		default:
			turns = append(turns, gap)
		}
		seen[t.Variant], end = true, t.End
	}
	return turns, clusters
}

// costOf returns nil for none. A time below 0 is of a clock that was set.
func costOf(times []time.Duration) *Cost {
	times = slices.DeleteFunc(slices.Clone(times), func(d time.Duration) bool { return d < 0 })
	if len(times) == 0 {
		return nil
	}
	slices.Sort(times)
	return &Cost{len(times), times[(len(times)-1)/2].Seconds()}
}

// perTurn is what one variant takes in one block, in seconds, with trials that
// measure so many times as long; the cluster is not in it.
func (c Costs) perTurn(longer int) float64 {
	var sum float64
	for _, t := range c.Trials {
		sum += t.Seconds + float64(longer-1)*t.Measured
	}
	return sum
}
