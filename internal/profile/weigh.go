package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// weighed is a measure with the cells that stand for it.
type weighed struct {
	Weight
	metrics []located
}

// located is a metric of a cell with the margin that counts.
type located struct {
	cell   analysis.Cell
	metric analysis.Metric
	margin float64
}

// weigh finds the cells of every measure, of those that the candidates have
// values of.
func weigh(p Profile, a analysis.Analysis, candidates []string) []weighed {
	total := p.total()
	list := make([]weighed, len(p.Weights))
	for i, m := range p.Weights {
		list[i] = m.weigh(a, candidates)
		list[i].Share = m.Weight / total
	}
	return list
}

func (m Measure) weigh(a analysis.Analysis, candidates []string) weighed {
	w := weighed{Weight: Weight{What: m.What, Cells: []string{}}}
	if m.Lacking != "" {
		w.Missing = m.Lacking
		return w
	}
	var reasons []string
	for _, p := range m.Of {
		found, why := p.find(a, candidates)
		if len(found) == 0 {
			reasons = append(reasons, why)
			continue
		}
		for _, l := range found {
			if l.margin, why = m.marginOf(l.metric); why != "" {
				w.Cells, w.metrics, w.Missing = []string{}, nil, why
				return w
			}
			w.metrics = append(w.metrics, l)
			w.Cells = append(w.Cells, l.cell.ID+"/"+l.metric.Name)
		}
		first := found[0].metric
		w.Unit, w.Better, w.Scale, w.Margin = first.Unit, string(first.Better), string(first.Scale), w.metrics[0].margin
		return w
	}
	w.Missing = strings.Join(slices.Compact(reasons), "; ")
	return w
}

// matches tells whether a cell is one that the pattern means.
func (p Pattern) matches(c plan.Cell) bool {
	return c.Scenario == p.Scenario && !slices.ContainsFunc(p.Where, func(w Condition) bool { return !w.meets(c.Parameters) })
}

// find returns the cells that match and that any candidate has a value of, or
// else why there is none.
func (p Pattern) find(a analysis.Analysis, candidates []string) (found []located, why string) {
	why = "not in this campaign: " + p.String()
	for _, c := range a.Cells {
		if !p.matches(c.Cell) {
			continue
		}
		why = fmt.Sprintf("planned, and no value: %s/%s", c.ID, p.Metric)
		for _, m := range c.Metrics {
			if m.Name == p.Metric && slices.ContainsFunc(m.Arms, func(arm analysis.Arm) bool {
				return len(arm.Samples) > 0 && slices.Contains(candidates, arm.Variant)
			}) {
				found = append(found, located{cell: c, metric: m})
			}
		}
	}
	return found, why
}

// marginOf is the profile's or the metric's own, or else says what is wrong
// with it.
func (m Measure) marginOf(metric analysis.Metric) (margin float64, why string) {
	margin = metric.Margin
	if m.Margin != nil {
		if m.Margin.Fraction != (metric.Scale == result.Ratio) {
			return 0, fmt.Sprintf("the profile's margin of %s must be %s", metric.Name,
				map[bool]string{true: "a percentage", false: "an amount in " + metric.Unit}[metric.Scale == result.Ratio])
		}
		margin = m.Margin.Value
	}
	if !(margin > 0) || math.IsInf(margin, 0) {
		return 0, fmt.Sprintf("%s declares no margin, so that nobody knows what a difference of it is worth", metric.Name)
	}
	return margin, ""
}

// largest bounds what takes part: beyond it a sum loses all else, or is infinite.
const largest = 1e100

// units turns a value into margins, more being better: on the ratio scale its
// logarithm, so that differences are those of ratios. It says false for a value
// that has no logarithm.
func (l located) units(x float64) (float64, bool) {
	if l.metric.Scale == result.Ratio {
		if !(x > 0) {
			return 0, false
		}
		x = math.Log(x) / math.Log1p(l.margin)
	} else {
		x /= l.margin
	}
	if l.metric.Better == result.Lower {
		x = 0 - x
	}
	return x, math.Abs(x) <= largest
}

// change turns a difference in margins, more being better, into one of the
// metric: a fraction or an amount.
func (l located) change(units float64) float64 {
	if l.metric.Better == result.Lower {
		units = 0 - units
	}
	if l.metric.Scale == result.Ratio {
		return math.Expm1(units * math.Log1p(l.margin))
	}
	return units * l.margin
}

// values are a variant's in margins, by block.
func (l located) values(variant string) map[int]float64 {
	list := map[int]float64{}
	for _, arm := range l.metric.Arms {
		if arm.Variant != variant {
			continue
		}
		for _, s := range arm.Samples {
			if x, ok := l.units(s.Value); ok {
				list[s.Block] = x
			}
		}
	}
	return list
}

// covered is the share of the weight that counts.
func covered(list []weighed) float64 {
	var share float64
	for _, w := range list {
		if w.Missing == "" {
			share += w.Share
		}
	}
	return min(1, share)
}
