package main

import (
	"math"
	"math/rand/v2"
)

// law is a distribution of noise.
type law struct {
	name         string
	draw         func(*rand.Rand) float64
	pseudomedian float64 // what Hodges and Lehmann estimate
}

// laws are normal, skewed and heavy-tailed. The pseudomedian of the lognormal
// is that of internal/stats/testdata/golden.json, found by integration.
var laws = []law{
	{"normal", (*rand.Rand).NormFloat64, 0},
	{"skewed (lognormal, sigma 0.5)", lognormal, 1.0593702722206157},
	{"heavy-tailed (t, 3 degrees)", student3, 0},
}

func lognormal(r *rand.Rand) float64 { return math.Exp(0.5 * r.NormFloat64()) }

func student3(r *rand.Rand) float64 {
	x, y, z := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
	return r.NormFloat64() / math.Sqrt((x*x+y*y+z*z)/3)
}

func (l law) sample(r *rand.Rand, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = l.draw(r)
	}
	return xs
}

// centred draws values whose pseudomedian is 0.
func (l law) centred(r *rand.Rand, n int) []float64 { return moved(l.sample(r, n), -l.pseudomedian) }

func moved(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x + by
	}
	return out
}
