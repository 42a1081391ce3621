package analysis

import (
	"cmp"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

func countAll(g result.Progress) Counts {
	return count(g, func(plan.Trial) bool { return true })
}

// count counts the planned trials that want selects.
func count(g result.Progress, want func(plan.Trial) bool) Counts {
	n := func(list []plan.Trial) int {
		k := 0
		for _, t := range list {
			if want(t) {
				k++
			}
		}
		return k
	}
	c := Counts{OK: n(g.Done), Failed: n(g.Failed), Invalid: n(g.Invalid), Unsupported: n(g.Unsupported), Missing: n(g.Missing)}
	c.Planned = c.OK + c.Failed + c.Invalid + c.Unsupported + c.Missing
	return c
}

func outcomes(p plan.Plan, cell string, g result.Progress) []Outcome {
	var list []Outcome
	for _, v := range p.Variants {
		list = append(list, Outcome{v.Name, count(g, func(t plan.Trial) bool {
			return t.Variant.Name == v.Name && t.Cell.ID == cell
		})})
	}
	return list
}

// dropped lists attempts without a result by block, variant, cell, attempt.
func dropped(trials []result.Trial) []Dropped {
	last := map[result.Key]int{}
	for _, t := range trials {
		last[t.Key()] = max(last[t.Key()], t.Attempt)
	}
	list := []Dropped{}
	for _, t := range trials {
		if t.Status != result.OK {
			list = append(list, Dropped{
				Block: t.Block, Variant: t.Variant, Cell: t.Cell, Attempt: t.Attempt,
				Status: t.Status, Reason: t.Reason, Replaced: t.Attempt < last[t.Key()], Voids: t.Voids,
			})
		}
	}
	slices.SortFunc(list, func(a, b Dropped) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Variant, b.Variant),
			cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Attempt, b.Attempt))
	})
	return list
}

// WhyMissing is why trials are missing: it is the same for all of a campaign.
func (a Analysis) WhyMissing() string {
	if a.Plan.Imported != nil {
		return "the source has none"
	}
	return "never attempted"
}

// missing lists the planned trials without any attempt.
func missing(g result.Progress) []Missing {
	list := []Missing{}
	for _, t := range g.Missing {
		list = append(list, Missing{t.Block, t.Variant.Name, t.Cell.ID})
	}
	return list
}
