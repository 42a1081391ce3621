package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Holm returns the p-values adjusted for being one family, in their order:
// with p_(1) ≤ … ≤ p_(k), the running maximum of min(1, (k − i + 1)·p_(i))
// (Holm, Scand. J. Statist. 6 (1979) 65). Rejecting where the adjusted p is at
// most alpha keeps the chance of any false rejection at alpha. It fails when a
// p-value is not between 0 and 1; a comparison that was declared but not
// measured belongs in the family with p = 1.
func Holm(ps []float64) ([]float64, error) {
	if err := checkProbabilities(ps); err != nil {
		return nil, err
	}
	adjusted, _ := holm(ps)
	return adjusted, nil
}

// holm also returns the factor k − i + 1 that each p-value was multiplied by.
func holm(ps []float64) (adjusted, factors []float64) {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted = make([]float64, len(ps))
	factors = make([]float64, len(ps))
	var largest float64
	for step, i := range order {
		factors[i] = float64(len(ps) - step)
		largest = max(largest, min(1, factors[i]*ps[i]))
		adjusted[i] = largest
	}
	return adjusted, factors
}

func checkProbabilities(ps []float64) error {
	for i, p := range ps {
		if math.IsNaN(p) || p < 0 || p > 1 {
			return fmt.Errorf("p-value %d of the family is %v, not between 0 and 1", i+1, p)
		}
	}
	return nil
}
