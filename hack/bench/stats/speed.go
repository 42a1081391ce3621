package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/cnibench/cnibench/internal/stats"
)

// speed compares all pairs of a campaign as a report does: shift, interval,
// claims and verdicts.
func speed(b *bench) error {
	b.printf("   %s, one thread of %d CPUs\n", runtime.GOARCH, runtime.NumCPU())
	tied := law{"tied", func(r *rand.Rand) float64 { return math.Round(3 * r.NormFloat64()) }, 0}
	for _, l := range []law{laws[0], tied} {
		for _, way := range []struct {
			name    string
			compare func(x, y []float64) (stats.Claims, error)
		}{{"paired", comparePaired}, {"independent", compareBetween}} {
			r := b.random()
			values := make([][]float64, 23*9) // by variant and test
			for i := range values {
				values[i] = l.sample(r, 10)
			}
			began := time.Now()
			pairs, err := allPairs(values, 9, way.compare)
			if err != nil {
				return err
			}
			b.printf("   %-12s %-12s %d comparisons in %.2f s\n", way.name, l.name, pairs, time.Since(began).Seconds())
		}
	}
	return nil
}

func allPairs(values [][]float64, tests int, compare func(x, y []float64) (stats.Claims, error)) (int, error) {
	var family []stats.Claims
	for i := range values {
		for j := i % tests; j < i; j += tests { // the same test of the variants before
			claims, err := compare(values[j], values[i])
			if err != nil {
				return 0, err
			}
			family = append(family, claims)
		}
	}
	_, err := stats.Decide(family, stats.VerdictAlpha)
	return len(family), err
}

func comparePaired(x, y []float64) (stats.Claims, error) {
	d := make([]float64, len(x))
	for i := range d {
		d[i] = y[i] - x[i]
	}
	if _, err := stats.PairedShift(d, 0.95); err != nil {
		return stats.Claims{}, err
	}
	return stats.ClaimsOf(d, 0.1)
}

func compareBetween(x, y []float64) (stats.Claims, error) {
	if _, err := stats.ShiftBetween(x, y, 0.95); err != nil {
		return stats.Claims{}, err
	}
	if _, err := stats.WelchT(x, y, 0.95); err != nil {
		return stats.Claims{}, err
	}
	return stats.ClaimsBetween(x, y, 0.1)
}
