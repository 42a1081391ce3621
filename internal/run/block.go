package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/validity"
)

// block measures the pending trials of a block, and the block once more if it
// turns out to be invalid. A block that earlier runs measured is judged, too:
// the last one may have ended before it could.
func (r *Runner) block(ctx context.Context, index int, pending []plan.Trial) error {
	ofBlock := func(t plan.Trial) bool { return t.Block == index }
	planned := selected(r.Plan.Trials(), ofBlock)
	todo := selected(pending, ofBlock)
	for {
		trials := selected(r.journal, func(t result.Trial) bool { return t.Block == index })
		n := needOf(planned, trials, validity.Rules(r.Plan))
		if len(n.void) > 0 {
			if err := r.takeBack(index, n); err != nil {
				return err
			}
			continue
		}
		todo = union(planned, todo, n.measure)
		if len(todo) == 0 {
			return nil
		}
		for _, p := range todo {
			r.open[result.KeyOf(p)] = true
		}
		for _, turn := range turns(todo) {
			if err := r.perform(ctx, turn); err != nil {
				return err
			}
		}
		todo = nil
	}
}

// takeBack journals that attempts count no more, and tells whether they are
// made again.
func (r *Runner) takeBack(index int, n need) error {
	counts := result.Voids(r.journal)
	kind := BlockDropped
	for _, old := range n.void {
		now := time.Now().UTC()
		number := r.Writer.NextAttempt(old.Key())
		err := r.append(result.Trial{
			Schema: result.SchemaVersion, Block: old.Block, Position: old.Position, Variant: old.Variant, Cell: old.Cell, Scenario: old.Scenario,
			Attempt: number, Status: result.Invalid, Reason: n.reason, Start: now, End: now,
			Voids: old.Attempt, Raw: result.RawPath(old.Key(), number),
		})
		if err != nil {
			return err
		}
		if counts[old.Key()] < repeats {
			kind, r.open[old.Key()] = BlockRepeated, true
		}
	}
	r.emit(Event{Kind: kind, Block: index, Step: n.reason})
	return nil
}

// enough asks, once every trial up to a block has an attempt, whether the
// blocks after it are needed.
func (r *Runner) enough(blocks int) (bool, error) {
	if r.Enough == nil || blocks == r.Plan.Blocks[len(r.Plan.Blocks)-1].Index {
		return false, nil
	}
	attempted := map[result.Key]bool{}
	for _, t := range r.journal {
		if t.Block > blocks {
			return false, nil // more were needed
		}
		attempted[t.Key()] = true
	}
	for _, p := range r.Plan.Trials() {
		if p.Block <= blocks && !attempted[result.KeyOf(p)] {
			return false, nil
		}
	}
	why, err := r.Enough(blocks, r.journal)
	if err != nil {
		return false, fmt.Errorf("looking at the results after %d blocks: %w", blocks, err)
	}
	if why == "" {
		return false, nil
	}
	r.emit(Event{Kind: Stopped, Block: blocks, Step: why})
	return true, nil
}

func selected[T any](all []T, want func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(t T) bool { return !want(t) })
}

// union lists what is in a or in b in the order of planned. An element of a
// goes before the same of planned.
func union(planned, a, b []plan.Trial) []plan.Trial {
	chosen := map[result.Key]plan.Trial{}
	for _, list := range [][]plan.Trial{b, a} {
		for _, t := range list {
			chosen[result.KeyOf(t)] = t
		}
	}
	var all []plan.Trial
	for _, p := range planned {
		if t, ok := chosen[result.KeyOf(p)]; ok {
			all = append(all, t)
		}
	}
	return all
}
