package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/cnibench/cnibench/internal/stats"
)

// powerSamples is the number of simulated campaigns in a cell of the table: a
// share is right to 2 points.
const powerSamples = 2000

// powerTable simulates what is found of true effects at the margin: campaigns
// whose blocks are drawn from the measured differences d, which are of a thing
// with itself. Each is given a random sign, because without a difference both
// directions are as likely, and the effect on top.
func powerTable(d []float64, seed uint64) (string, error) {
	designs := []int{comparison, 10, 20}
	var b strings.Builder
	b.WriteString("| true effect |")
	for _, n := range designs {
		fmt.Fprintf(&b, " %d blocks |", n)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(designs)) + "\n")
	for _, effect := range []float64{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10} {
		fmt.Fprintf(&b, "| %.0f %% |", 100*effect)
		for _, n := range designs {
			tally, err := simulate(d, n, effect, seed)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, " %s |", chances(tally))
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// simulate counts the verdicts of simulated campaigns of n blocks.
func simulate(d []float64, n int, effect float64, seed uint64) (map[stats.Verdict]int, error) {
	random := rand.New(rand.NewPCG(seed, math.Float64bits(effect)+uint64(n)))
	tally := map[stats.Verdict]int{}
	for range powerSamples {
		v, err := verdicts([][]float64{resample(random, d, n, math.Log1p(effect))})
		if err != nil {
			return nil, err
		}
		tally[v[0]]++
	}
	return tally, nil
}

func resample(random *rand.Rand, d []float64, n int, shift float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = d[random.IntN(len(d))]
		if random.IntN(2) == 0 {
			out[i] = -out[i]
		}
		out[i] += shift
	}
	return out
}

// chances prints how often it is better, equivalent and worse, in per cent.
func chances(tally map[stats.Verdict]int) string {
	share := func(v stats.Verdict) float64 { return 100 * float64(tally[v]) / powerSamples }
	return fmt.Sprintf("%.1f / %.1f / %.1f", share(stats.Better), share(stats.Equivalent), share(stats.Worse))
}
