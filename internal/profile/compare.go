package profile

import (
	"cmp"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/stats"
)

// order lists the rows, the best first, by the Hodges–Lehmann estimate of each;
// equal ones keep their order, which is that of their names.
func (m matrix) order() ([]int, error) {
	centers := make([]float64, len(m.rows))
	order := make([]int, len(m.rows))
	for i, row := range m.rows {
		order[i] = i
		var err error
		if centers[i], err = stats.HodgesLehmann(row); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(centers[j], centers[i]) })
	return order, nil
}

// beaten says for each row which others were shown to be better by more than
// the margin. A row's comparisons are one family: with a chance of at most
// alpha is any row called better than it that is not (Bonferroni). So the rows
// that nobody beats hold the best one with a confidence of 1 − alpha, however
// they were found (selection of a subset that holds the best: Hsu, Annals of
// Statistics 9 (1981) 1026).
func (m matrix) beaten(alpha float64) ([][]bool, error) {
	worse := make([][]bool, len(m.rows))
	for i := range m.rows {
		worse[i] = make([]bool, len(m.rows))
	}
	level := alpha / float64(max(1, len(m.rows)-1))
	for i := range m.rows {
		for j := range i {
			claims, err := m.claims(m.rows[i], m.rows[j])
			if err != nil {
				return nil, err
			}
			worse[i][j], worse[j][i] = claims.Better <= level, claims.Worse <= level
		}
	}
	return worse, nil
}

// claims are about how much better b is than a.
func (m matrix) claims(a, b []float64) (stats.Claims, error) {
	if m.paired {
		return stats.ClaimsOf(differences(a, b), indifference)
	}
	return stats.ClaimsBetween(a, b, indifference)
}

// needed is the least number of blocks that can tell so many rows apart; 0 when
// there are enough.
func (m matrix) needed(alpha float64) int {
	if len(m.rows) < 2 {
		return 0
	}
	level, have := alpha/float64(len(m.rows)-1), m.smallest()
	smallest := stats.SmallestP
	if !m.paired {
		smallest = func(n int) float64 { return stats.UnpairedSmallestP(n, n) }
	}
	if smallest(have) <= level {
		return 0
	}
	for n := have + 1; ; n++ {
		if smallest(n) <= level {
			return n
		}
	}
}

// shift is how much better a is than b.
func (m matrix) shift(a, b []float64) (stats.Shift, error) {
	if m.paired {
		return stats.PairedShift(differences(b, a), analysis.Confidence)
	}
	s, err := stats.ShiftBetween(b, a, analysis.Confidence)
	return stats.Shift{Estimate: s.Estimate, Interval: s.Interval}, err
}

// behind is by how much the first row is better than another.
func (m matrix) behind(first, other int) (*Gap, error) {
	s, err := m.shift(m.rows[first], m.rows[other])
	if err != nil {
		return nil, err
	}
	gap := &Gap{Estimate: s.Estimate}
	if s.Interval.Absent == "" {
		gap.Low, gap.High = &s.Interval.Low, &s.Interval.High
	}
	return gap, nil
}

// differences are b − a.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	return d
}

// finite keeps what JSON can hold: an effect beyond all numbers is the largest.
func finite(x float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, x)) }
