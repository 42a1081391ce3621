package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// field is a campaign: values by variant, test and block.
func field(variants, tests, blocks int, draw func(*rand.Rand) float64) [][][]float64 {
	r := seeded()
	f := make([][][]float64, variants)
	for v := range f {
		f[v] = make([][]float64, tests)
		for t := range f[v] {
			f[v][t] = law{draw: draw}.sample(r, blocks)
		}
	}
	return f
}

// BenchmarkAllPairs is a whole comparison of 23 variants over 9 tests of 10
// blocks: 2,277 pairs, each with its shift, exact interval and claims, verdicts
// over the family and groups. It promises a second.
func BenchmarkAllPairs(b *testing.B) {
	laws := map[string]func(*rand.Rand) float64{
		"distinct": (*rand.Rand).NormFloat64,
		"tied":     func(r *rand.Rand) float64 { return math.Round(3 * r.NormFloat64()) },
	}
	for name, draw := range laws {
		f := field(23, 9, 10, draw)
		b.Run("paired/"+name, func(b *testing.B) {
			for b.Loop() {
				compareAllPairs(b, f, func(x, y []float64) (Claims, error) {
					d := make([]float64, len(x))
					for i := range d {
						d[i] = y[i] - x[i]
					}
					if _, err := PairedShift(d, 0.95); err != nil {
						return Claims{}, err
					}
					return ClaimsOf(d, 0.1)
				})
			}
		})
		b.Run("unpaired/"+name, func(b *testing.B) {
			for b.Loop() {
				compareAllPairs(b, f, func(x, y []float64) (Claims, error) {
					if _, err := ShiftBetween(x, y, 0.95); err != nil {
						return Claims{}, err
					}
					if _, err := WelchT(x, y, 0.95); err != nil {
						return Claims{}, err
					}
					return ClaimsBetween(x, y, 0.1)
				})
			}
		})
	}
}

func compareAllPairs(b *testing.B, f [][][]float64, claims func(x, y []float64) (Claims, error)) {
	b.Helper()
	for test := range f[0] {
		var family []Claims
		for i := range f {
			for j := range i {
				c, err := claims(f[i][test], f[j][test])
				if err != nil {
					b.Fatal(err)
				}
				family = append(family, c)
			}
		}
		decisions, err := Decide(family, VerdictAlpha)
		if err != nil {
			b.Fatal(err)
		}
		differ, k := table(len(f)), 0
		for i := range f {
			for j := range i {
				differ[i][j] = decisions[k].Verdict == Better || decisions[k].Verdict == Worse
				differ[j][i] = differ[i][j]
				k++
			}
		}
		if _, err := Groups(differ); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPlan is what cnibench plan asks: power, smallest effect and blocks.
func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		design := planning()
		if _, err := design.Power(math.Log(1.06), 1); err != nil {
			b.Fatal(err)
		}
		if _, err := design.MinimalEffect(0.8, 1); err != nil {
			b.Fatal(err)
		}
		if _, err := design.BlocksFor(math.Log(1.05), 0.8, 1); err != nil {
			b.Fatal(err)
		}
	}
}
