package stats

import "slices"

// HodgesLehmann returns the median of the Walsh averages (d_i + d_j)/2, i ≤ j,
// of d: the centre that the signed-rank test finds most plausible (Hodges and
// Lehmann 1963). It fails when d is empty or holds a value that is not finite.
func HodgesLehmann(d []float64) (float64, error) {
	sorted, err := sortedPairs(d)
	if err != nil {
		return 0, err
	}
	return medianSorted(walshAverages(sorted)), nil
}

// walshAverages returns the n(n+1)/2 Walsh averages of d, sorted.
func walshAverages(d []float64) []float64 {
	walsh := make([]float64, 0, len(d)*(len(d)+1)/2)
	for i, a := range d {
		for _, b := range d[i:] {
			walsh = append(walsh, midpoint(a, b))
		}
	}
	slices.Sort(walsh)
	return walsh
}
