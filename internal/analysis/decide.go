package analysis

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/stats"
)

// decide gives every comparison its verdict. The primary family is what the
// plan declared: each primary metric, each variant against the base. What was
// declared and not measured keeps its place in it, with p = 1.
func (a *Analysis) decide() error {
	a.Family = a.Plan.Family()
	alpha := Alpha(a.Plan)
	var primary []target
	for i := range a.Cells {
		for j := range a.Cells[i].Metrics {
			m := &a.Cells[i].Metrics[j]
			if m.AA != nil {
				if err := decideFamily([]target{{m, m.AA}}, 1, alpha); err != nil {
					return err
				}
			}
			for k := range m.Comparisons {
				t := target{m, &m.Comparisons[k]}
				if t.Primary {
					primary = append(primary, t)
					continue
				}
				if err := decideFamily([]target{t}, 1, alpha); err != nil {
					return err
				}
			}
		}
	}
	return decideFamily(primary, a.Family, alpha)
}

// target is a comparison that awaits its verdict.
type target struct {
	metric *Metric
	*Comparison
}

// decideFamily decides the comparisons of one family of the given size at a
// one-sided level that they share.
func decideFamily(targets []target, size int, alpha float64) error {
	family := make([]stats.Claims, max(size, len(targets)))
	for i := range family {
		family[i] = stats.NoClaims()
		if i < len(targets) && targets[i].P != nil {
			family[i] = stats.Claims(*targets[i].P)
		}
	}
	decisions, err := stats.Decide(family, alpha)
	if err != nil {
		return err
	}
	for i, t := range targets {
		t.Verdict = decisions[i].Verdict
		if t.Primary && t.P != nil {
			t.Adjusted = newClaims(decisions[i].Adjusted)
		}
		if t.Verdict != stats.Inconclusive || t.Effect == nil {
			continue
		}
		if t.Allowance > 0 {
			t.Open = oneInstallation
			continue
		}
		f, err := t.forecast(alpha / float64(len(family)))
		if err != nil {
			return fmt.Errorf("forecasting %s against %s: %w", t.B, t.A, err)
		}
		t.Further, t.Open = f.Blocks, f.Unknown
	}
	return nil
}

// forecast says how many further blocks, or further values of both, are likely
// to settle an inconclusive comparison.
func (t target) forecast(alpha float64) (stats.Forecast, error) {
	if t.Unpaired != nil {
		a, b := t.metric.samplesOf(t.A), t.metric.samplesOf(t.B)
		return stats.FurtherBetween(a, b, testMargin(*t.metric), alpha)
	}
	return stats.FurtherBlocks(oriented(t.metric.Better, t.differences()), testMargin(*t.metric), alpha)
}

// unmeasured lists the declared primary metrics that no trial has.
func (a *Analysis) unmeasured() []string {
	var list []string
	for _, declared := range a.Plan.Analysis.Primary {
		if !a.has(declared) {
			list = append(list, declared)
		}
	}
	return list
}

func (a *Analysis) has(declared string) bool {
	cut := strings.LastIndexByte(declared, '/')
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			if cut >= 0 && c.ID == declared[:cut] && m.Name == declared[cut+1:] {
				return true
			}
		}
	}
	return false
}
