package main

import (
	"math"

	"github.com/cnibench/cnibench/internal/stats"
)

// coverage shows how often each interval holds the truth, in per cent, and in
// brackets how often it should. Welch's interval and its promise of 95 are there
// for comparison.
func coverage(b *bench) error {
	b.printf("   standard error %.2f\n", 100*math.Sqrt(0.05*0.95/float64(b.samples)))
	b.printf("   %-32s %3s  %-16s %-16s %s\n", "noise", "n", "pseudomedian", "independent", "Welch")
	for _, l := range laws {
		for _, n := range []int{6, 10, 20} {
			row, err := covered(b, l, n)
			if err != nil {
				return err
			}
			b.printf("   %-32s %3d  %5.2f (%5.2f)    %5.2f (%5.2f)    %5.2f\n", l.name, n, row[0], row[1], row[2], row[3], row[4])
		}
	}
	return nil
}

// covered returns, in per cent, how often the intervals of one sample and of two
// hold the truth, each followed by what is attainable, and Welch's.
func covered(b *bench, l law, n int) (row [5]float64, err error) {
	r := b.random()
	count := func(i int, iv stats.Interval, truth float64) {
		if iv.Low <= truth && truth <= iv.High {
			row[i] += 100 / float64(b.samples)
		}
	}
	for range b.samples {
		x, y := l.sample(r, n), l.sample(r, n)
		shift, err := stats.PairedShift(x, 0.95)
		if err != nil {
			return row, err
		}
		between, err := stats.ShiftBetween(x, y, 0.95)
		if err != nil {
			return row, err
		}
		welch, err := stats.WelchT(x, y, 0.95)
		if err != nil {
			return row, err
		}
		count(0, shift.Interval, l.pseudomedian)
		count(2, between.Interval, 0)
		count(4, welch.Interval, 0)
		row[1], row[3] = 100*shift.Interval.Coverage, 100*between.Interval.Coverage
	}
	return row, nil
}
