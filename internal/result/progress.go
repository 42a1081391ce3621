package result

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
)

// KeyOf returns the key of a planned trial.
func KeyOf(t plan.Trial) Key { return Key{t.Block, t.Variant.Name, t.Cell.ID} }

// LastAttempts reduces a journal to the attempt that decides each planned
// trial, the one with the highest number, sorted by block, variant and cell.
func LastAttempts(trials []Trial) []Trial {
	last := map[Key]Trial{}
	for _, t := range trials {
		if old, ok := last[t.Key()]; !ok || t.Attempt > old.Attempt {
			last[t.Key()] = t
		}
	}
	decisive := make([]Trial, 0, len(last))
	for _, t := range last {
		decisive = append(decisive, t)
	}
	slices.SortFunc(decisive, func(a, b Trial) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Cell, b.Cell))
	})
	return decisive
}

// Progress says what became of every planned trial, in the plan's order.
type Progress struct {
	Done        []plan.Trial // ok
	Failed      []plan.Trial
	Invalid     []plan.Trial
	Unsupported []plan.Trial // settled: trying again would change nothing
	Missing     []plan.Trial // no attempt yet
	// Dropped are those of Invalid whose block was invalid once and is to be
	// repeated.
	Dropped []plan.Trial
}

// ProgressOf compares a plan with a journal. A trial that the plan does not
// ask for is an error: the journal belongs to another plan.
func ProgressOf(p plan.Plan, trials []Trial) (Progress, error) {
	planned := p.Trials()
	asked := make(map[Key]bool, len(planned))
	for _, t := range planned {
		asked[KeyOf(t)] = true
	}
	status, dropped := map[Key]Status{}, map[Key]bool{}
	voids := Voids(trials)
	for _, t := range LastAttempts(trials) {
		if !asked[t.Key()] {
			return Progress{}, fmt.Errorf("the journal has a trial that the plan has not: block %d, %s, %s", t.Block, t.Variant, t.Cell)
		}
		status[t.Key()], dropped[t.Key()] = t.Status, t.Voids > 0 && voids[t.Key()] == 1
	}
	var g Progress
	for _, t := range planned {
		list := g.list(status[KeyOf(t)])
		*list = append(*list, t)
		if dropped[KeyOf(t)] {
			g.Dropped = append(g.Dropped, t)
		}
	}
	return g, nil
}

// Voids counts how often each planned trial was taken back because its block
// was invalid.
func Voids(trials []Trial) map[Key]int {
	n := map[Key]int{}
	for _, t := range trials {
		if t.Voids > 0 {
			n[t.Key()]++
		}
	}
	return n
}

// list returns where a planned trial with this last status belongs.
func (g *Progress) list(s Status) *[]plan.Trial {
	switch s {
	case OK:
		return &g.Done
	case Failed:
		return &g.Failed
	case Invalid:
		return &g.Invalid
	case Unsupported:
		return &g.Unsupported
	}
	return &g.Missing
}

// Pending returns what a resumed run has to measure: what is missing, what of
// an invalid block is to be repeated and, with retryFailed, what failed or was
// invalid as well, in the plan's order.
func (g Progress) Pending(p plan.Plan, retryFailed bool) []plan.Trial {
	wanted := map[Key]bool{}
	lists := [][]plan.Trial{g.Missing, g.Dropped}
	if retryFailed {
		lists = append(lists, g.Failed, g.Invalid)
	}
	for _, list := range lists {
		for _, t := range list {
			wanted[KeyOf(t)] = true
		}
	}
	return slices.DeleteFunc(p.Trials(), func(t plan.Trial) bool { return !wanted[KeyOf(t)] })
}
