package forecast

import (
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Cost is what one step takes, from Low to High; both are the same when it was
// measured.
type Cost struct{ Low, High time.Duration }

// Costs is what a campaign's time goes into besides the load.
type Costs struct {
	// Trial is what a trial takes besides its load: placing pods, collecting.
	Trial Cost
	// Turn is from one variant's trials to the next one's when its cluster is
	// there, Cluster when it has to be made or the plugin to be installed.
	Turn, Cluster Cost
	Measured      bool // all that the plan needs
}

// AssumedCosts are what is assumed where nothing was measured: generous ranges
// around what small labs and clusters took. Of the user's own programs that
// make clusters nothing is known, and nothing is added for them.
func AssumedCosts(p plan.Plan) Costs {
	c := Costs{
		Trial: Cost{200 * time.Millisecond, 3 * time.Second}, Turn: Cost{100 * time.Millisecond, 5 * time.Second},
		Cluster: Cost{10 * time.Second, time.Minute},
	}
	if p.Cluster.Command != nil {
		c.Cluster = Cost{}
	}
	if p.Shared() && (p.Cluster.Existing == nil || p.Cluster.Existing.AllowCNIChange) {
		c.Turn = Cost{10 * time.Second, 2 * time.Minute} // a plugin goes, another comes
	}
	return c
}

// MeasuredCosts takes the medians from the journal of a campaign on a cluster
// of the same kind. What the journal does not have, or has of another kind of
// cluster, stays assumed.
func MeasuredCosts(p, measured plan.Plan, trials []result.Trial, load func(plan.Cell) time.Duration) Costs {
	c := AssumedCosts(p)
	if p.Cluster.Kind() != measured.Cluster.Kind() || p.Shared() != measured.Shared() {
		return c
	}
	cells := map[string]plan.Cell{}
	for _, cell := range measured.Cells {
		cells[cell.ID] = cell
	}
	var besides []time.Duration
	for _, t := range trials {
		if t.Status == result.OK {
			besides = append(besides, t.End.Sub(t.Start)-load(cells[t.Cell]))
		}
	}
	turns, clusters := gaps(measured, trials)
	trial, turn, cluster := median(besides, &c.Trial), median(turns, &c.Turn), median(clusters, &c.Cluster)
	c.Measured = trial && cluster
	if !p.FreshCluster { // then clusters rest between their turns
		c.Measured = trial && turn && (cluster || p.Shared())
	}
	return c
}

// gaps lists the times between the trials of two variants: with the second
// one's cluster there, and with one made meanwhile.
func gaps(p plan.Plan, trials []result.Trial) (turns, clusters []time.Duration) {
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b result.Trial) int { return a.Start.Compare(b.Start) })
	seen := map[string]bool{}
	for i, t := range sorted {
		if i > 0 && (sorted[i-1].Block != t.Block || sorted[i-1].Variant != t.Variant) {
			gap := t.Start.Sub(sorted[i-1].End)
			if p.Shared() || !p.FreshCluster && seen[t.Variant] {
				turns = append(turns, gap)
			} else {
				clusters = append(clusters, gap)
			}
		}
		seen[t.Variant] = true
	}
	return turns, clusters
}

// median stores the median of times, if there is one; a time below 0 is of a
// clock that was set.
func median(times []time.Duration, into *Cost) bool {
	times = slices.DeleteFunc(times, func(d time.Duration) bool { return d < 0 })
	if len(times) == 0 {
		return false
	}
	slices.Sort(times)
	m := times[len(times)/2]
	*into = Cost{m, m}
	return true
}

// Duration is how long a campaign takes until a look.
type Duration struct {
	Blocks int
	// Load is the time under load, by the parameters of the trials, and Clusters
	// how many are made.
	Load     time.Duration
	Clusters int
	Total    Cost
}

// Durations estimates the time until every look at which the plan may end, of
// trials whose load takes the given time and none of which is repeated.
func Durations(p plan.Plan, costs Costs, load func(plan.Cell) time.Duration) []Duration {
	var list []Duration
	for _, blocks := range Looks(p) {
		part := p
		part.Blocks = p.Blocks[:min(blocks, len(p.Blocks))]
		d := Duration{Blocks: blocks, Load: plan.Estimate(part, load), Clusters: clusters(part)}
		trials := time.Duration(len(part.Trials()))
		turns := time.Duration(max(0, len(part.Blocks)*len(p.Variants)-d.Clusters))
		made := time.Duration(d.Clusters)
		d.Total.Low = d.Load + trials*costs.Trial.Low + turns*costs.Turn.Low + made*costs.Cluster.Low
		d.Total.High = d.Load + trials*costs.Trial.High + turns*costs.Turn.High + made*costs.Cluster.High
		list = append(list, d)
	}
	return list
}

// clusters counts those that are made; on a shared cluster every turn installs
// its plugin, which its turns contain.
func clusters(p plan.Plan) int {
	switch {
	case p.Cluster.Existing != nil:
		return 0
	case p.Shared():
		return 1
	case p.FreshCluster:
		return len(p.Blocks) * len(p.Variants)
	}
	return len(p.Variants)
}
