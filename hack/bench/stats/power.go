package main

import (
	"fmt"
	"math"

	"github.com/cnibench/cnibench/internal/stats"
)

// power shows, for some noises, how often true effects are found better in per
// cent, the smallest effect found in 80 of 100 campaigns, and the blocks that
// 8 % takes.
func power(b *bench) error {
	effects := []float64{0.03, 0.04, 0.05, 0.06, 0.08, 0.10}
	b.printf("   %-8s %-16s %6s  ", "paired sd", "design", "family")
	for _, effect := range effects {
		b.printf("%5.0f %%", 100*effect)
	}
	b.printf("   80 %% find  blocks for 8 %%\n")
	for _, sd := range []float64{0.014, 0.028, 0.05} {
		for _, design := range []stats.Design{{Pairs: 6}, {Pairs: 10}, {Pairs: 20}, {Pairs: 10, Family: 9}, {NA: 10, NB: 10}} {
			design.Margin, design.SD = math.Log1p(0.03), sd
			name := fmt.Sprintf("%d blocks", design.Pairs)
			if design.Pairs == 0 { // the noise of one value is that of a difference by the root of 2
				design.SD, name = sd/math.Sqrt2, fmt.Sprintf("%d against %d", design.NA, design.NB)
			}
			if err := powerRow(b, sd, name, design, effects); err != nil {
				return err
			}
		}
	}
	return nil
}

func powerRow(b *bench, sd float64, name string, design stats.Design, effects []float64) error {
	b.printf("   %5.1f %%   %-16s %6d  ", 100*sd, name, max(1, design.Family))
	for _, effect := range effects {
		chances, err := design.Power(math.Log1p(effect), b.seed)
		if err != nil {
			return err
		}
		b.printf("%7.1f", 100*chances.Better)
	}
	smallest, err := design.MinimalEffect(0.8, b.seed)
	if err != nil {
		return err
	}
	blocks, err := design.BlocksFor(math.Log1p(0.08), 0.8, b.seed)
	if err != nil {
		return err
	}
	b.printf("   %s  %s\n", orAbsent(smallest.Absent, "%6.1f %%  ", 100*math.Expm1(smallest.Shift)), orAbsent(blocks.Absent, "%7d", blocks.Blocks))
	return nil
}

func orAbsent(absent, format string, value any) string {
	if absent != "" {
		return absent
	}
	return fmt.Sprintf(format, value)
}
