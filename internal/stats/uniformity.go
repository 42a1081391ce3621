package stats

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

const (
	// gridTolerance is the distance within which a p-value is on its grid.
	gridTolerance   = 1e-9
	uniformitySteps = 1 << 27 // of the exact distribution: a few seconds
)

// Uniformity compares p-values of true hypotheses, as an A/A campaign has them,
// with what they should be: uniform on the values that they can have.
type Uniformity struct {
	N int
	// Distance is the largest difference between the share of p-values up to a
	// point of the grid and that point, and P the exact chance of one as large
	// (a Kolmogorov–Smirnov test for discrete values). What cannot be had is not
	// a number, and Absent says why.
	Distance, P float64
	// OffGrid counts the p-values that are no point of the grid, as with ties;
	// they count at the next larger point.
	OffGrid int
	Absent  string
}

// TwoSidedGrid returns the two-sided p-values that n pairs without ties can
// have, ascending; the last is 1. Each is also the chance of a p-value up to
// it. It fails when n is not between 1 and 200.
func TwoSidedGrid(n int) ([]float64, error) {
	if n < 1 || n > exactPairs {
		return nil, fmt.Errorf("there is no exact distribution for %d pairs", n)
	}
	most := n * (n + 1) / 2
	p := make([]float64, most/2+1) // p[s]: rank sum s
	p[0] = 1
	for w := 1; w <= n; w++ {
		for s := len(p) - 1; s >= 0; s-- {
			p[s] /= 2
			if s >= w {
				p[s] += p[s-w] / 2
			}
		}
	}
	var grid []float64
	var tail float64
	for _, q := range p {
		if tail += q; 2*tail >= 1-1e-12 {
			break
		}
		grid = append(grid, 2*tail)
	}
	return append(grid, 1), nil
}

// UniformityOf tests whether ps are draws from the uniform distribution on
// grid, ascending values of which each is the chance of a p-value up to it. It
// fails when there are no p-values, one is not between 0 and 1, or grid does
// not ascend to 1.
func UniformityOf(ps, grid []float64) (Uniformity, error) {
	if len(ps) == 0 {
		return Uniformity{}, errors.New("there are no p-values")
	}
	if err := checkProbabilities(ps); err != nil {
		return Uniformity{}, err
	}
	if err := checkGrid(grid); err != nil {
		return Uniformity{}, err
	}
	u := Uniformity{N: len(ps), P: math.NaN()}
	counts := make([]int, len(grid))
	for _, p := range ps {
		k := sort.SearchFloat64s(grid, p-gridTolerance)
		if grid[k] > p+gridTolerance {
			u.OffGrid++
		}
		counts[k]++
	}
	upTo := 0
	for k, c := range counts {
		upTo += c
		u.Distance = max(u.Distance, math.Abs(float64(upTo)/float64(u.N)-grid[k]))
	}
	if float64(u.N)*float64(u.N)*float64(len(grid)) > uniformitySteps {
		u.Absent = fmt.Sprintf("%d p-values are too many for the exact test", u.N)
		return u, nil
	}
	u.P = distanceTail(u.N, grid, u.Distance)
	return u, nil
}

func checkGrid(grid []float64) error {
	if len(grid) == 0 || grid[len(grid)-1] != 1 {
		return errors.New("a grid of p-values ends with 1")
	}
	last := 0.0
	for _, g := range grid {
		if math.IsNaN(g) || g <= last {
			return fmt.Errorf("the grid does not ascend at %v", g)
		}
		last = g
	}
	return nil
}

// distanceTail is the chance that n draws are as far from grid as distance. It
// follows the number of draws up to one point of the grid after another, which
// given that up to the last is binomial, and drops the paths that have gone as
// far; what is left has not.
func distanceTail(n int, grid []float64, distance float64) float64 {
	logFactorial := make([]float64, n+1)
	for i := 2; i <= n; i++ {
		logFactorial[i] = logFactorial[i-1] + math.Log(float64(i))
	}
	paths := make([]float64, n+1) // paths[c]: c draws up to the point, never far
	paths[0] = 1
	last := 0.0
	for _, point := range grid[:len(grid)-1] {
		chance := (point - last) / (1 - last)
		yes, no := math.Log(chance), math.Log1p(-chance)
		next := make([]float64, n+1)
		for c, share := range paths {
			if share == 0 {
				continue
			}
			for d := c; d <= n; d++ {
				if math.Abs(float64(d)-float64(n)*point) >= float64(n)*distance-gridTolerance {
					continue
				}
				log := logFactorial[n-c] - logFactorial[d-c] - logFactorial[n-d] + float64(d-c)*yes + float64(n-d)*no
				next[d] += share * math.Exp(log)
			}
		}
		paths, last = next, point
	}
	tail := 1.0
	for _, share := range paths {
		tail -= share
	}
	return min(1, max(0, tail))
}
