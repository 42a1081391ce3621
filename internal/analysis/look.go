package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Alpha is the one-sided level of a plan's verdicts: that of methodology
// section 4, or a stricter one when the campaign looks several times.
func Alpha(p plan.Plan) float64 {
	if p.Stop == nil {
		return stats.VerdictAlpha
	}
	return stats.PrecisionRule{Looks: p.Stop.Looks}.Alpha()
}

// LookAt tells whether a campaign stops after so many blocks, from the
// intervals of its primary family in those blocks; later trials do not count.
// A plan without a rule stops after its last block. It fails when the trials
// do not agree on a metric, or the plan's looks are none.
func LookAt(p plan.Plan, trials []result.Trial, blocks int) (stats.Look, error) {
	if p.Stop == nil {
		if blocks >= len(p.Blocks) {
			return stats.Look{Stop: true}, nil
		}
		return stats.Look{Next: len(p.Blocks)}, nil
	}
	targets, err := precisions(p, trials, blocks)
	if err != nil {
		return stats.Look{}, fmt.Errorf("looking after %d blocks: %w", blocks, err)
	}
	look, err := stats.PrecisionRule{Looks: p.Stop.Looks}.Look(blocks, targets)
	if err != nil {
		return stats.Look{}, fmt.Errorf("looking after %d blocks: %w", blocks, err)
	}
	return look, nil
}

// precisions returns the primary comparisons with what is asked of them.
func precisions(p plan.Plan, trials []result.Trial, blocks int) ([]stats.Precision, error) {
	decisive := slices.DeleteFunc(result.LastAttempts(trials), func(t result.Trial) bool { return t.Block > blocks })
	var targets []stats.Precision
	for _, c := range p.Cells {
		settled := unsupportedArms(c.ID, decisive)
		cell, err := analyzeCell(p, c, decisive)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		for _, name := range p.Analysis.Primary {
			metric, of := metricOf(name, c.ID)
			if !of {
				continue
			}
			i := slices.IndexFunc(cell.Metrics, func(m Metric) bool { return m.Name == metric })
			for _, v := range p.Variants {
				switch {
				case v.Name == p.Analysis.Base || p.IsTwin(v.Name) || settled[v.Name] || settled[p.Analysis.Base]:
				case i < 0: // not measured yet: no interval
					targets = append(targets, stats.Precision{HalfWidth: 1})
				default:
					targets = append(targets, cell.Metrics[i].precision(p, v.Name))
				}
			}
		}
	}
	return targets, nil
}

// unsupportedArms are the variants of which nothing but "unsupported" is
// known: more blocks would not change that, and precision waits for nobody.
func unsupportedArms(cell string, decisive []result.Trial) map[string]bool {
	settled := map[string]bool{}
	for _, t := range decisive {
		if t.Cell != cell {
			continue
		}
		before, seen := settled[t.Variant]
		settled[t.Variant] = t.Status == result.Unsupported && (before || !seen)
	}
	return settled
}

// metricOf returns the metric of a primary name CELL/METRIC if the cell is it.
func metricOf(primary, cell string) (string, bool) {
	if len(primary) <= len(cell) || primary[:len(cell)] != cell || primary[len(cell)] != '/' {
		return "", false
	}
	return primary[len(cell)+1:], true
}

func (m Metric) precision(p plan.Plan, variant string) stats.Precision {
	target := stats.Precision{HalfWidth: math.Log1p(p.Stop.HalfWidth)}
	if m.Scale != result.Ratio {
		// Of a metric that counts, narrower than what matters. Without a margin
		// only equal differences are.
		target.HalfWidth = max(m.Margin, math.SmallestNonzeroFloat64)
	}
	for _, c := range m.Comparisons {
		if c.A == p.Analysis.Base && c.B == variant {
			target.D = c.differences()
		}
	}
	return target
}

// Stopped says after how many blocks a campaign with a rule for stopping
// ended, and what it saw.
type Stopped struct {
	Blocks int `json:"blocks"`
	AtMost int `json:"atMost"` // those of the last look
	// HalfWidth is what was asked for, as plan.Stop has it.
	HalfWidth float64 `json:"halfWidth"`
	// Precise of the Comparisons of the primary family that can be measured
	// have an interval at least as narrow.
	Precise     int `json:"precise"`
	Comparisons int `json:"comparisons"`
}

// upTo is the plan without the blocks that were not needed.
func upTo(p plan.Plan, stopped *Stopped) plan.Plan {
	if stopped != nil {
		p.Blocks = p.Blocks[:min(stopped.Blocks, len(p.Blocks))]
	}
	return p
}

// Blocks lists the blocks that count: the plan's, up to where the campaign
// stopped.
func (a Analysis) Blocks() []plan.Block { return upTo(a.Plan, a.Stopped).Blocks }

// StoppedAt recomputes from the journal at which look a campaign stopped; nil
// when its plan has no rule, or it has not stopped yet. Blocks after that are
// not missing but not needed. A look counts when every trial up to it was
// attempted and none after it, so that it was the last one. It fails as LookAt
// does.
func StoppedAt(p plan.Plan, trials []result.Trial) (*Stopped, error) {
	if p.Stop == nil {
		return nil, nil
	}
	attempted, furthest := map[result.Key]bool{}, 0
	for _, t := range trials {
		attempted[t.Key()] = true
		furthest = max(furthest, t.Block)
	}
	for _, blocks := range p.Stop.Looks {
		if blocks < furthest {
			continue
		}
		missing := slices.ContainsFunc(p.Trials(), func(t plan.Trial) bool {
			return t.Block <= blocks && !attempted[result.KeyOf(t)]
		})
		if missing {
			return nil, nil
		}
		look, err := LookAt(p, trials, blocks)
		if err != nil {
			return nil, err
		}
		if look.Stop {
			targets, err := precisions(p, trials, blocks)
			return &Stopped{blocks, len(p.Blocks), p.Stop.HalfWidth, look.Precise, len(targets)}, err
		}
	}
	return nil, nil
}
