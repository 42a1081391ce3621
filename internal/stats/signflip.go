package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// exactFlips bounds the number of differences up to which all sign patterns
	// are counted.
	exactFlips = 30
	// flipResamples is the number of random patterns beyond it: the standard
	// error of a p near 0.025 is then 0.0005.
	flipResamples = 100_000
)

// SignFlip is the permutation test of the mean of paired differences: how many
// of the patterns of signs have a mean as far from 0.
type SignFlip struct {
	N    int
	Mean float64
	// Greater, Less and TwoSided are the p-values of "symmetric about a centre
	// of at most 0", "at least 0" and "0"; the last is twice the smaller of the
	// others.
	Greater, Less, TwoSided float64
	// Resamples is the number of random patterns behind the p-values, the
	// observed one counted among them; 0 when all patterns were counted.
	Resamples int
}

// SignFlips tests the mean of the differences d against 0: exactly up to 30 of
// them, otherwise by 100,000 random sign patterns of the seed. It fails when d
// is empty or holds a value that is not finite.
func SignFlips(d []float64, seed uint64) (SignFlip, error) {
	sorted, err := sortedSample(d)
	if err != nil {
		return SignFlip{}, err
	}
	mean, _ := meanSD(sorted)
	f := SignFlip{N: len(sorted), Mean: mean}
	if f.N <= exactFlips {
		f.Greater, f.Less = allFlips(sorted)
	} else {
		f.Resamples = flipResamples
		f.Greater, f.Less = randomFlips(sorted, seed)
	}
	f.TwoSided = min(1, 2*min(f.Greater, f.Less))
	return f, nil
}

// flipTolerance is the distance within which two sums of the values count as
// equal: a pattern that only rounding makes less extreme is as extreme.
func flipTolerance(d []float64) (sum, tolerance float64) {
	for _, x := range d {
		sum += x
		tolerance += math.Abs(x)
	}
	return sum, 1e-13 * tolerance
}

// allFlips counts the sums of all sign patterns at or beyond the observed one.
// Each half of the values has at most 2¹⁵ sums; sorted, two pointers count the
// pairs.
func allFlips(d []float64) (greater, less float64) {
	observed, tolerance := flipTolerance(d)
	first, second := flippedSums(d[:len(d)/2]), flippedSums(d[len(d)/2:])
	patterns := float64(len(first)) * float64(len(second))
	var atLeast, above float64 // patterns with a sum ≥ observed, > observed
	low, high := 0, 0
	for i := len(first) - 1; i >= 0; i-- { // as this falls the other must rise
		for low < len(second) && first[i]+second[low] < observed-tolerance {
			low++
		}
		for high < len(second) && first[i]+second[high] <= observed+tolerance {
			high++
		}
		atLeast += float64(len(second) - low)
		above += float64(len(second) - high)
	}
	return atLeast / patterns, (patterns - above) / patterns
}

// flippedSums returns the 2ⁿ sums of ±d, sorted.
func flippedSums(d []float64) []float64 {
	sums := []float64{0}
	for _, x := range d {
		next := make([]float64, 0, 2*len(sums))
		for _, s := range sums {
			next = append(next, s-x, s+x)
		}
		sums = next
	}
	slices.Sort(sums)
	return sums
}

func randomFlips(d []float64, seed uint64) (greater, less float64) {
	observed, tolerance := flipTolerance(d)
	r := rand.New(rand.NewPCG(seed, 0))
	atLeast, atMost := 1, 1 // the observed pattern
	for range flipResamples - 1 {
		var sum float64
		var coins uint64
		for i, x := range d {
			if i%64 == 0 {
				coins = r.Uint64()
			}
			if coins&1 == 0 {
				sum += x
			} else {
				sum -= x
			}
			coins >>= 1
		}
		if sum >= observed-tolerance {
			atLeast++
		}
		if sum <= observed+tolerance {
			atMost++
		}
	}
	return float64(atLeast) / flipResamples, float64(atMost) / flipResamples
}
