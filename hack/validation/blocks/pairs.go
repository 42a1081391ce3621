package blocks

import "math"

// Differences returns ln(B/A) of the blocks in which both arms have a value.
func Differences(rows []Row, a, b int) []float64 {
	var d []float64
	for _, r := range rows {
		if !math.IsNaN(r.Values[a]) && !math.IsNaN(r.Values[b]) {
			d = append(d, math.Log(r.Values[b]/r.Values[a]))
		}
	}
	return d
}

// Comparisons cuts every campaign's pairs into disjoint runs of size
// consecutive ones, in the order in which they were measured. What is left over
// at the end of a campaign belongs to none.
func (t Table) Comparisons(a, b, size int) [][]float64 {
	var all [][]float64
	for _, campaign := range t.Campaigns() {
		d := Differences(t.Of(campaign), a, b)
		for ; len(d) >= size; d = d[size:] {
			all = append(all, d[:size:size])
		}
	}
	return all
}
