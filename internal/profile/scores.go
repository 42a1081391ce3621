package profile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// scores are a variant's, in margins, by block: the weighted mean of all that
// counts, and each weight's part of it.
type scores struct {
	variant string
	whole   map[int]float64
	parts   []map[int]float64 // by weight, unweighted; nil for one that does not count
}

// scoresOf makes them of the blocks in which the variant has everything that
// counts. Where it never has, it says why not.
func scoresOf(a analysis.Analysis, list []weighed, variant string) (scores, string) {
	s := scores{variant: variant, whole: map[int]float64{}, parts: make([]map[int]float64, len(list))}
	complete := map[int]bool{}
	for _, b := range a.Blocks() {
		complete[b.Index] = true
	}
	for i, w := range list {
		if w.Missing != "" {
			continue
		}
		s.parts[i] = map[int]float64{}
		for _, l := range w.metrics {
			values := l.values(variant)
			if len(values) == 0 {
				return s, whyNone(a, l, variant)
			}
			for block := range complete {
				x, there := values[block]
				if !there {
					delete(complete, block)
					continue
				}
				s.parts[i][block] += x / float64(len(w.metrics))
			}
		}
	}
	whole := covered(list)
	for _, block := range slices.Sorted(maps.Keys(complete)) {
		for i, part := range s.parts {
			if part != nil {
				s.whole[block] += list[i].Share / whole * part[block]
			}
		}
	}
	if len(s.whole) == 0 {
		return s, "no block has everything that this profile weighs"
	}
	return s, ""
}

// without leaves a weight out of the whole.
func (s scores) without(list []weighed, left int) scores {
	t := scores{variant: s.variant, whole: map[int]float64{}}
	whole := covered(list) - list[left].Share
	for block := range s.whole {
		for i, part := range s.parts {
			if part != nil && i != left {
				t.whole[block] += list[i].Share / whole * part[block]
			}
		}
	}
	return t
}

// whyNone says why a variant has no value of a metric.
func whyNone(a analysis.Analysis, l located, variant string) string {
	where := l.cell.ID + "/" + l.metric.Name
	for _, d := range a.Dropped {
		if d.Cell == l.cell.ID && d.Variant == variant && !d.Replaced {
			return fmt.Sprintf("%s: %s: %s", where, d.Status, d.Reason)
		}
	}
	for _, g := range l.cell.Gaps {
		if g.Variant == variant && g.Metric == l.metric.Name {
			return fmt.Sprintf("%s: %s", where, g.Reason)
		}
	}
	for _, arm := range l.metric.Arms {
		if arm.Variant == variant && len(arm.Samples) > 0 && l.metric.Scale == result.Ratio {
			return where + ": its values are not above 0, and have no ratios"
		}
	}
	for _, m := range a.Missing {
		if m.Cell == l.cell.ID && m.Variant == variant {
			return where + ": " + a.WhyMissing()
		}
	}
	return where + ": no value"
}

// common are the blocks that all have, ascending.
func common(all []scores) []int {
	var blocks []int
	if len(all) == 0 {
		return nil
	}
	for _, b := range slices.Sorted(maps.Keys(all[0].whole)) {
		if !slices.ContainsFunc(all, func(s scores) bool { _, there := s.whole[b]; return !there }) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// sparse finds a variant with less than half as many complete blocks as the one
// with the most: it would cost the others too many of theirs. It returns −1
// when there is none.
func sparse(all []scores) int {
	most, least, index := 0, 0, -1
	for i, s := range all {
		most = max(most, len(s.whole))
		if index < 0 || len(s.whole) < least {
			least, index = len(s.whole), i
		}
	}
	if 2*least >= most {
		return -1
	}
	return index
}

// matrix holds the scores to compare: rows are variants. Paired, column i is
// the same block in every row, and the mean of each column is 0: what a block
// does to all is no variant's.
type matrix struct {
	paired bool
	rows   [][]float64
	blocks [][]int // of each row
}

func newMatrix(all []scores, paired bool) matrix {
	m := matrix{paired: paired}
	shared := common(all)
	for _, s := range all {
		blocks := shared
		if !paired {
			blocks = slices.Sorted(maps.Keys(s.whole))
		}
		row := make([]float64, len(blocks))
		for i, b := range blocks {
			row[i] = s.whole[b]
		}
		m.rows, m.blocks = append(m.rows, row), append(m.blocks, blocks)
	}
	if paired {
		for i := range shared {
			var sum float64
			for _, row := range m.rows {
				sum += row[i]
			}
			for _, row := range m.rows {
				row[i] -= sum / float64(len(m.rows))
			}
		}
	}
	return m
}

// smallest is the least number of values that any row has.
func (m matrix) smallest() int {
	least := -1
	for _, row := range m.rows {
		if least < 0 || len(row) < least {
			least = len(row)
		}
	}
	return max(0, least)
}
