package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// sidePoints is the most points of a line of two trials side by side.
const sidePoints = 120

// sideBySide is two trials of one block on the same axes.
type sideBySide struct {
	Cell, Note string
	Tiles      []tile
}

// Key is the planned trial that the series is of.
func (s Series) Key() result.Key { return result.Key{Block: s.Block, Variant: s.Variant, Cell: s.Cell} }

// chosenSides are two trials that somebody asked for, on the same axes; nil
// where nobody did, or where one of them has no series.
func chosenSides(chosen *[2]result.Key, all []Series) *sideBySide {
	if chosen == nil {
		return nil
	}
	var found []Series
	for _, key := range chosen {
		i := slices.IndexFunc(all, func(s Series) bool { return s.Key() == key })
		if i < 0 {
			return nil
		}
		found = append(found, all[i])
	}
	side := sideBySide{Cell: chosen[0].Cell}
	f := newFrame(found)
	for i, s := range found {
		title := fmt.Sprintf("%s, block %d", s.Variant, s.Block)
		if chosen[0].Cell != chosen[1].Cell {
			side.Cell, title = "", title+", "+s.Cell
		}
		side.Tiles = append(side.Tiles, newTile(s.Variant, title, found[i:i+1], f, sidePoints))
	}
	return &side
}

// sidesBySide picks two trials of each cell that show what its main metric
// found: the variant that differs most from the base, and both in the block
// whose difference is the middle one.
func sidesBySide(a analysis.Analysis, all []Series) []sideBySide {
	var list []sideBySide
	for _, c := range a.Cells {
		find := func(variant string, block int) (Series, bool) {
			i := slices.IndexFunc(all, func(s Series) bool { return s.Cell == c.ID && s.Variant == variant && s.Block == block })
			if i < 0 {
				return Series{}, false
			}
			return all[i], true
		}
		k, ok := mostDifferent(c)
		if !ok {
			continue
		}
		for _, p := range byTypicality(k.Pairs) {
			one, okA := find(k.A, p.Block)
			two, okB := find(k.B, p.Block)
			if !okA || !okB {
				continue
			}
			f := newFrame([]Series{one, two})
			list = append(list, sideBySide{
				Cell: c.ID,
				Note: fmt.Sprintf("%s and %s in block %d, whose difference in %s is the middle one of %d", k.A, k.B, p.Block, c.Metrics[0].Name, len(k.Pairs)),
				Tiles: []tile{
					newTile(k.A, fmt.Sprintf("%s, block %d", k.A, p.Block), []Series{one}, f, sidePoints),
					newTile(k.B, fmt.Sprintf("%s, block %d", k.B, p.Block), []Series{two}, f, sidePoints),
				},
			})
			break
		}
	}
	return list
}

// mostDifferent is the comparison with the base that has the largest effect in
// the cell's main metric; the first of equals.
func mostDifferent(c analysis.Cell) (analysis.Comparison, bool) {
	if len(c.Metrics) == 0 || !c.Metrics[0].Main {
		return analysis.Comparison{}, false
	}
	var best analysis.Comparison
	largest, found := 0.0, false
	for _, k := range c.Metrics[0].Comparisons {
		if k.AgainstBase && k.Effect != nil && len(k.Pairs) > 0 && (!found || math.Abs(k.Effect.Estimate) > largest) {
			best, largest, found = k, math.Abs(k.Effect.Estimate), true
		}
	}
	return best, found
}

// byTypicality sorts pairs by how near their differences are to the median of
// all; equals stay in the order of the blocks.
func byTypicality(pairs []analysis.Pair) []analysis.Pair {
	sorted := slices.Clone(pairs)
	slices.SortFunc(sorted, func(x, y analysis.Pair) int { return cmp.Compare(x.Difference, y.Difference) })
	middle := sorted[(len(sorted)-1)/2].Difference
	near := slices.Clone(pairs)
	slices.SortStableFunc(near, func(x, y analysis.Pair) int {
		return cmp.Compare(math.Abs(x.Difference-middle), math.Abs(y.Difference-middle))
	})
	return near
}
