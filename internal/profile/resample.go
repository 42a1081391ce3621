package profile

import (
	"math/rand/v2"
	"slices"
)

const (
	// resamples is how often blocks are drawn anew. The standard error of a
	// share is then at most 1.2 percentage points.
	resamples = 2000
	// resampleMin is the number of blocks below which none are drawn: so few
	// repeat each other too much, as with stats.BCa.
	resampleMin = 8
	// resampleSeed makes every reading of the same results the same.
	resampleSeed = 1
	// resampleWork bounds the averages that are looked at.
	resampleWork = 1 << 31
)

// wins returns the share of resamples in which each row comes first; those that
// share a place share the win. Paired, blocks are drawn whole, so that what a
// block did to all stays together. It returns 0 resamples when there are too
// few blocks, or too many for anybody to wait, and for a single row.
func (m matrix) wins() ([]float64, int) {
	shares := make([]float64, len(m.rows))
	work := 0
	for _, row := range m.rows {
		work += len(row) * (len(row) + 1) / 2 * resamples
	}
	if len(m.rows) < 2 || m.smallest() < resampleMin || work > resampleWork {
		return shares, 0
	}
	averages := make([][]walsh, len(m.rows))
	for i, row := range m.rows {
		averages[i] = walshOf(row)
	}
	r := rand.New(rand.NewPCG(resampleSeed, 0))
	counts, centers := [][]int{}, make([]float64, len(m.rows))
	for _, row := range m.rows {
		counts = append(counts, make([]int, len(row)))
	}
	for range resamples {
		for i := range m.rows {
			if i > 0 && m.paired {
				counts[i] = counts[0]
			} else {
				draw(r, counts[i])
			}
			centers[i] = center(averages[i], counts[i])
		}
		best := slices.Max(centers)
		first := 0
		for _, c := range centers {
			if c == best {
				first++
			}
		}
		for i, c := range centers {
			if c == best {
				shares[i] += 1 / float64(first)
			}
		}
	}
	for i := range shares {
		shares[i] /= resamples
	}
	return shares, resamples
}

// draw counts how often each of n values is drawn, of n draws.
func draw(r *rand.Rand, counts []int) {
	clear(counts)
	for range counts {
		counts[r.IntN(len(counts))]++
	}
}

// walsh is the mean of two values, or a value itself.
type walsh struct {
	mean float64
	i, j int
}

// walshOf lists all of them, ascending.
func walshOf(row []float64) []walsh {
	list := make([]walsh, 0, len(row)*(len(row)+1)/2)
	for i := range row {
		for j := range i + 1 {
			list = append(list, walsh{row[i]/2 + row[j]/2, i, j})
		}
	}
	slices.SortFunc(list, func(a, b walsh) int {
		switch {
		case a.mean < b.mean:
			return -1
		case a.mean > b.mean:
			return 1
		}
		return 0
	})
	return list
}

// center is the Hodges–Lehmann estimate of a resample: the median of the
// averages of its values, which are those of the sample, repeated.
func center(averages []walsh, counts []int) float64 {
	times := func(w walsh) int {
		if w.i == w.j {
			return counts[w.i] * (counts[w.i] + 1) / 2
		}
		return counts[w.i] * counts[w.j]
	}
	n := len(counts)
	total := n * (n + 1) / 2
	low, high := (total+1)/2, total/2+1 // the two in the middle, from 1
	seen := 0
	var first float64
	found := false
	for _, w := range averages {
		seen += times(w)
		if !found && seen >= low {
			first, found = w.mean, true
		}
		if seen >= high {
			return first/2 + w.mean/2
		}
	}
	return first // no more than n values were counted
}
