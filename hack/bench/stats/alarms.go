package main

import (
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/stats"
)

// alarms shows how often "better" is claimed of an effect that equals the
// margin, in per cent, for a single comparison; and how often the p-values of an
// A/A comparison are 0.05 or less.
func alarms(b *bench) error {
	b.printf("   %-32s %3s  %-8s %-12s %s\n", "noise", "n", "paired", "independent", "A/A p <= 0.05 (and its chance)")
	for _, l := range laws {
		for _, n := range []int{6, 10, 20} {
			r := b.random()
			var paired, independent, aa int
			for range b.samples {
				x, y := l.centred(r, n), l.centred(r, n)
				d := make([]float64, n)
				for i := range d {
					d[i] = y[i] - x[i]
				}
				p, err := stats.PAtMost(d, 0) // moved by the margin: the same
				if err != nil {
					return err
				}
				q, err := stats.PBetweenAtMost(x, y, 0)
				if err != nil {
					return err
				}
				two, err := stats.PTwoSided(d, 0)
				if err != nil {
					return err
				}
				paired, independent, aa = paired+one(p <= stats.VerdictAlpha), independent+one(q <= stats.VerdictAlpha), aa+one(two <= 0.05)
			}
			b.printf("   %-32s %3d  %5.2f    %5.2f        %5.2f (%.2f)\n", l.name, n,
				b.percent(paired), b.percent(independent), b.percent(aa), 100*attainable(n, 0.05))
		}
	}
	return nil
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (b *bench) percent(count int) float64 { return 100 * float64(count) / float64(b.samples) }

// attainable is the chance of a two-sided p-value up to level.
func attainable(n int, level float64) float64 {
	grid, err := stats.TwoSidedGrid(n)
	if err != nil {
		return math.NaN()
	}
	var chance float64
	for _, p := range grid {
		if p <= level {
			chance = p
		}
	}
	return chance
}

// adaptive shows the share of false verdicts, in per cent, of the worst of many
// targets of precision, of one comparison and of any of nine against one base,
// which share the base's noise; at the level of a fixed campaign and at that of
// the rule.
func adaptive(b *bench) error {
	b.printf("   %-32s %-14s %-8s %s\n", "noise", "comparisons", "at 0.025", "at 0.02")
	for _, l := range laws {
		for _, family := range []int{1, 9} {
			fixed, rule, err := worstStopping(b, l, family)
			if err != nil {
				return err
			}
			b.printf("   %-32s %-14d %5.2f    %5.2f\n", l.name, family, fixed, rule)
		}
	}
	return nil
}

// stopped is what one campaign would say at each of its looks.
type stopped struct {
	widest      []float64 // half-width of its least precise comparison
	fixed, rule []bool    // any "better", all of which are false
}

func worstStopping(b *bench, l law, family int) (fixed, rule float64, err error) {
	r, looks := b.random(), stats.DefaultLooks()
	samples := b.samples / family
	campaigns := make([]stopped, samples)
	var widths []float64
	for i := range campaigns {
		base := l.centred(r, looks.Looks[len(looks.Looks)-1])
		all := make([][]float64, family) // differences at the margin, moved to 0
		for j := range all {
			all[j] = l.centred(r, len(base))
			for k := range base {
				all[j][k] -= base[k]
			}
		}
		if campaigns[i], err = atLooks(looks, all); err != nil {
			return 0, 0, err
		}
		widths = append(widths, campaigns[i].widest...)
	}
	slices.Sort(widths)
	for q := 1; q < 40; q++ {
		target, atFixed, atRule := widths[len(widths)*q/40], 0, 0
		for _, c := range campaigns {
			look := 0
			for look < len(c.widest)-1 && c.widest[look] > target {
				look++
			}
			atFixed, atRule = atFixed+one(c.fixed[look]), atRule+one(c.rule[look])
		}
		fixed = max(fixed, 100*float64(atFixed)/float64(samples))
		rule = max(rule, 100*float64(atRule)/float64(samples))
	}
	return fixed, rule, nil
}

func atLooks(rule stats.PrecisionRule, all [][]float64) (stopped, error) {
	var s stopped
	for _, n := range rule.Looks {
		claims := make([]stats.Claims, len(all))
		precisions := make([]stats.Precision, len(all))
		for j, d := range all {
			precisions[j] = stats.Precision{D: d[:n], HalfWidth: 1}
			claims[j] = stats.NoClaims()
			p, err := stats.PAtMost(d[:n], 0)
			if err != nil {
				return s, err
			}
			claims[j].Better = p
		}
		look, err := rule.Look(n, precisions)
		if err != nil {
			return s, err
		}
		fixed, err := anyBetter(claims, stats.VerdictAlpha)
		if err != nil {
			return s, err
		}
		judged, err := anyBetter(claims, rule.Alpha())
		if err != nil {
			return s, err
		}
		s.widest, s.fixed, s.rule = append(s.widest, look.Widest), append(s.fixed, fixed), append(s.rule, judged)
	}
	return s, nil
}

func anyBetter(claims []stats.Claims, alpha float64) (bool, error) {
	decisions, err := stats.Decide(claims, alpha)
	return slices.ContainsFunc(decisions, func(d stats.Decision) bool { return d.Verdict == stats.Better }), err
}
