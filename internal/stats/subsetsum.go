package stats

import (
	"math"
	"slices"
)

const (
	// exactArrangements bounds the number of ways to deal the values to two
	// sides up to which they are counted. float64 holds every whole number
	// below it, so counts are free of rounding: 28 + 28 values, 10 + 160,
	// 5 + 1,000. Beyond, the normal approximation is too large by less than 0.002
	// where p is near 0.025 (most with three values against thousands, 0.0005
	// with equal sides), and too large further out, for rank sums have lighter
	// tails than the normal distribution.
	exactArrangements = 1 << 53
	// exactSteps bounds the work of one exact p-value with ties: about a tenth
	// of a second.
	exactSteps = 1 << 27
)

// subsetSumTail returns the share of the k-element subsets of weights, twice a
// midrank each, whose sum is at most t; and whether it was counted or comes
// from the normal approximation.
func subsetSumTail(weights []int, k, t int) (p float64, exact bool) {
	n := len(weights)
	all := combinations(n, k)
	if all >= exactArrangements {
		return normalSubsetTail(weights, k, t), false
	}
	sorted, small, bound := slices.Sorted(slices.Values(weights)), k, t
	if k > n-k { // the same of those left out, from the largest down
		bound = (n-k)*sorted[n-1] - (total(sorted) - t)
		small = n - k
		mirror(sorted)
	}
	bound, exact = reduce(sorted, small, bound)
	if !exact {
		return normalSubsetTail(weights, k, t), false
	}
	if n*bound <= small*total(sorted) {
		return countSubsets(sorted, small, bound) / all, true
	}
	// The others are fewer.
	bound = small*sorted[n-1] - bound - 1
	mirror(sorted)
	return (all - countSubsets(sorted, small, bound)) / all, true
}

// mirror measures sorted weights from the largest down.
func mirror(sorted []int) {
	largest := sorted[len(sorted)-1]
	for i, w := range sorted {
		sorted[i] = largest - w
	}
	slices.Reverse(sorted)
}

// countSubsets counts the k-element subsets with a sum of at most t.
func countSubsets(sorted []int, k, t int) float64 {
	switch {
	case t < 0:
		return 0
	case consecutive(sorted):
		return distinctSubsets(len(sorted), k, t)
	}
	return tiedSubsets(sorted, k, t)
}

// reduce makes the smallest of the sorted weights 0 and their steps as small as
// whole numbers can be, and t with them; ok is false when counting is too long.
func reduce(sorted []int, k, t int) (reduced int, ok bool) {
	smallest, step := sorted[0], 0
	for i := range sorted {
		sorted[i] -= smallest
		step = gcd(step, sorted[i])
	}
	t -= k * smallest
	if step > 1 {
		for i := range sorted {
			sorted[i] /= step
		}
		t = int(math.Floor(float64(t) / float64(step)))
	}
	largest := total(sorted[len(sorted)-k:])
	t = min(t, largest)
	return t, float64(len(sorted))*float64(k)*float64(t) <= exactSteps
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func total(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	return sum
}

func consecutive(sorted []int) bool {
	for i, w := range sorted {
		if w != i {
			return false
		}
	}
	return true
}

// combinations is the number of k-element subsets of n; infinite when it is
// too large.
func combinations(n, k int) float64 {
	product := 1.0
	k = min(k, n-k)
	for i := 1; i <= k && product < math.MaxFloat64; i++ {
		product = product * float64(n-k+i) / float64(i)
	}
	return math.Round(product)
}

// distinctSubsets counts the k-element subsets of 0 … n − 1 with a sum of at
// most t: partial sums of the coefficients of the Gaussian binomial, made by
// multiplying with 1 − q^(n−k+i) and dividing by 1 − q^i in turn (Mann and
// Whitney, Ann. Math. Stat. 18 (1947) 50, in today's form).
func distinctSubsets(n, k, t int) float64 {
	t -= k * (k - 1) / 2 // the sum of the smallest subset
	if t < 0 {
		return 0
	}
	counts := make([]float64, t+1)
	counts[0] = 1
	for i := 1; i <= k; i++ {
		for s, by := t, n-k+i; s >= by; s-- {
			counts[s] -= counts[s-by]
		}
		for s := i; s <= t; s++ {
			counts[s] += counts[s-i]
		}
	}
	var subsets float64
	for _, c := range counts {
		subsets += c
	}
	return subsets
}

// tiedSubsets counts the k-element subsets of any sorted weights with a sum of
// at most t. Subsets so far that cannot end within t, or that can no longer get
// k elements, are not followed.
func tiedSubsets(sorted []int, k, t int) float64 {
	n := len(sorted)
	counts := make([][]float64, k+1) // counts[j][s]: subsets of j elements with sum s
	for j := range counts {
		counts[j] = make([]float64, t+1)
	}
	counts[0][0] = 1
	for i, w := range sorted {
		for j := min(k, i+1); j >= max(1, k-(n-1-i)); j-- {
			// The k − j that are still to come weigh w or more each.
			with, without := counts[j], counts[j-1]
			for s := t - (k-j)*w; s >= w; s-- {
				with[s] += without[s-w]
			}
		}
	}
	var subsets float64
	for _, c := range counts[k] {
		subsets += c
	}
	return subsets
}

// normalSubsetTail is the normal approximation with the continuity correction
// of half a rank; the variance of the weights carries the correction for ties.
func normalSubsetTail(weights []int, k, t int) float64 {
	n := float64(len(weights))
	mean := float64(total(weights)) / n
	var squares float64
	for _, w := range weights {
		squares += (float64(w) - mean) * (float64(w) - mean)
	}
	variance := float64(k) * (n - float64(k)) / (n - 1) * squares / n
	if variance == 0 { // all weights are equal
		return 1
	}
	return normalCDF((float64(t) + 1 - float64(k)*mean) / math.Sqrt(variance))
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
