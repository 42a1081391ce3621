package blocks

import (
	"cmp"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Metric is what validation campaigns compare, in bit/s.
const Metric = "throughput"

// Collect returns the finished blocks of a campaign's journal, those in which
// every variant of the plan has been attempted. An arm whose deciding attempt is
// not ok has no value.
func Collect(campaign string, p plan.Plan, trials []result.Trial, arms []string) []Row {
	byBlock := map[int][]result.Trial{}
	for _, t := range result.LastAttempts(trials) {
		byBlock[t.Block] = append(byBlock[t.Block], t)
	}
	var rows []Row
	for _, b := range p.Blocks {
		if attempted := byBlock[b.Index]; len(attempted) == len(p.Variants)*len(p.Cells) && len(p.Cells) == 1 {
			rows = append(rows, row(campaign, b, attempted, arms))
		}
	}
	return rows
}

func row(campaign string, b plan.Block, trials []result.Trial, arms []string) Row {
	slices.SortFunc(trials, func(a, b result.Trial) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), a.Start.Compare(b.Start))
	})
	r := Row{Campaign: campaign, Block: b.Index, Start: trials[0].Start, Order: b.Order}
	for _, arm := range arms {
		value := math.NaN()
		for _, t := range trials {
			if v, ok := t.Value(Metric); ok && t.Variant == arm && t.Status == result.OK {
				value = v.Value
			}
		}
		r.Values = append(r.Values, value)
	}
	return r
}
