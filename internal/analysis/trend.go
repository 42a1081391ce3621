package analysis

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// trendAlpha is the level of the two stability tests of a cell. It is stricter
// than that of a verdict because every cell is tested and a warning that comes
// up by chance in every other campaign is not read.
const trendAlpha = 0.01

// trendWarnings tests a cell's main metric for drift: over the campaign, and
// over the position of a variant in its block.
func trendWarnings(c Cell) ([]result.Warning, error) {
	if len(c.Metrics) == 0 {
		return nil, nil
	}
	m := c.Metrics[0]
	blocks, levels, err := blockLevels(m)
	if err != nil {
		return nil, err
	}
	drift, err := stats.Kendall(blocks, levels)
	if err != nil {
		return nil, err
	}
	var list []result.Warning
	if drift.Absent == "" && drift.P < trendAlpha {
		list = append(list, result.Warning{
			Code: "drift",
			Message: fmt.Sprintf("%s: %s %s over the campaign (Kendall τ = %.2f, p = %.2g)",
				c.ID, m.Name, direction(drift.Tau), drift.Tau, drift.P),
			Hint: "verdicts compare within blocks and hold; medians depend on when they were taken: look for heat, other load or a cache that fills",
		})
	}
	position, err := positionWarning(c.ID, m)
	return append(list, position...), err
}

// positionWarning tests whether values follow the position in the block, by
// the signed-rank test of one slope per block.
func positionWarning(cell string, m Metric) ([]result.Warning, error) {
	slopes := positionSlopes(m)
	if len(slopes) == 0 {
		return nil, nil
	}
	rises, err := stats.PAtMost(slopes, 0)
	if err != nil {
		return nil, err
	}
	falls, err := stats.PAtLeast(slopes, 0)
	if err != nil {
		return nil, err
	}
	p := min(1, 2*min(rises, falls))
	if p >= trendAlpha {
		return nil, nil
	}
	return []result.Warning{{
		Code:    "position-effect",
		Message: fmt.Sprintf("%s: %s %s with the variant's position in its block (signed-rank p = %.2g)", cell, m.Name, direction(falls-rises), p),
		Hint:    "positions are balanced over the blocks, so that no variant gains by it; something carries over from one variant to the next",
	}}, nil
}

func direction(slope float64) string {
	if slope > 0 {
		return "rises"
	}
	return "falls"
}

// centred returns an arm's values less their median, in logarithms on the
// ratio scale, so that arms can be put side by side.
func centred(scale result.Scale, a Arm) []float64 {
	xs := make([]float64, len(a.Samples))
	for i, s := range a.Samples {
		xs[i] = difference(scale, a.Summary.Median, s.Value)
	}
	return xs
}

// blockLevels returns the block numbers and, for each, the median of its arms'
// centred values: how high the tide was.
func blockLevels(m Metric) (blocks, levels []float64, err error) {
	byBlock := map[int][]float64{}
	for _, a := range m.Arms {
		for i, x := range centred(m.Scale, a) {
			b := a.Samples[i].Block
			byBlock[b] = append(byBlock[b], x)
		}
	}
	for _, b := range slices.Sorted(maps.Keys(byBlock)) {
		s, err := stats.Summarize(byBlock[b], Confidence)
		if err != nil {
			return nil, nil, err
		}
		blocks, levels = append(blocks, float64(b)), append(levels, s.Median)
	}
	return blocks, levels, nil
}

// positionSlopes returns for every block the covariance of its arms' centred
// values with their positions. Balanced order makes its sign a fair coin when
// positions do not matter.
func positionSlopes(m Metric) []float64 {
	type point struct{ position, value float64 }
	byBlock := map[int][]point{}
	for _, a := range m.Arms {
		for i, x := range centred(m.Scale, a) {
			s := a.Samples[i]
			byBlock[s.Block] = append(byBlock[s.Block], point{float64(s.Position), x})
		}
	}
	var slopes []float64
	for _, block := range slices.Sorted(maps.Keys(byBlock)) {
		points := byBlock[block]
		var middle, slope float64
		for _, p := range points {
			middle += p.position / float64(len(points))
		}
		for _, p := range points {
			slope += (p.position - middle) * p.value
		}
		if len(points) > 1 {
			slopes = append(slopes, slope)
		}
	}
	return slopes
}
