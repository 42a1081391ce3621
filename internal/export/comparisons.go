package export

import (
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
)

// comparisons writes how variants differ, and the verdicts.
func (x *exporter) comparisons() {
	x.family("cnibench_comparison_verdict_info", "", "The verdict about b against a, and why an inconclusive one has no estimate of blocks; always 1.")
	x.pairs(func(c analysis.Comparison, l labels) {
		x.state(with(l, "verdict", string(c.Verdict), "open", c.Open), 1)
	})
	const change = " of b against a: a fraction on the ratio scale (-0.21 is 21 % less), else an amount in the unit of its label."
	families := []struct {
		name, help string
		of         func(analysis.Comparison) *float64
	}{
		{"effect", "Estimated change" + change, func(c analysis.Comparison) *float64 { return effect(c, estimate) }},
		{"effect_low", "Lower end of the interval of the change" + change, func(c analysis.Comparison) *float64 {
			return effect(c, func(e *analysis.Effect) *float64 { return low(e.Interval) })
		}},
		{"effect_high", "Upper end of the interval of the change" + change, func(c analysis.Comparison) *float64 {
			return effect(c, func(e *analysis.Effect) *float64 { return high(e.Interval) })
		}},
		{"effect_coverage", "Probability that the interval of the change attains, of 1.", func(c analysis.Comparison) *float64 {
			return effect(c, func(e *analysis.Effect) *float64 { return coverage(e.Interval) })
		}},
		{"margin_low", "Lower end of the changes that are too small to matter.", func(c analysis.Comparison) *float64 { return &c.Band.Low }},
		{"margin_high", "Upper end of the changes that are too small to matter.", func(c analysis.Comparison) *float64 { return &c.Band.High }},
		{"pairs", "Blocks that have a value of both.", func(c analysis.Comparison) *float64 { return number(len(c.Pairs)) }},
		{"further_blocks", "Blocks that are likely to settle an inconclusive comparison.", further},
	}
	for _, f := range families {
		x.family("cnibench_comparison_"+f.name, "", f.help)
		x.pairs(func(c analysis.Comparison, l labels) {
			if value := f.of(c); value != nil {
				x.state(l, *value)
			}
		})
	}
	x.claims()
}

// claims writes p-values: those of exploratory comparisons are not adjusted.
func (x *exporter) claims() {
	x.family("cnibench_comparison_p_value", "", "One-sided p-value of a claim about b; adjusted ones are after Holm, over the primary comparisons.")
	x.pairs(func(c analysis.Comparison, l labels) {
		for _, set := range []struct {
			adjusted string
			claims   *analysis.Claims
		}{{"false", c.P}, {"true", c.Adjusted}} {
			if set.claims == nil {
				continue
			}
			for _, p := range []struct {
				claim string
				value float64
			}{{"better", set.claims.Better}, {"worse", set.claims.Worse}, {"equivalent", set.claims.Equivalent}} {
				x.state(with(l, "claim", p.claim, "adjusted", set.adjusted), p.value)
			}
		}
	})
}

// pairs visits every selected comparison with its labels.
func (x *exporter) pairs(visit func(analysis.Comparison, labels)) {
	x.metrics(func(_ analysis.Cell, m analysis.Metric, l labels) {
		all := m.Comparisons
		if m.AA != nil {
			all = append(slices.Clone(all), *m.AA)
		}
		for i, c := range all {
			if !x.only.comparison(c.A, c.B) {
				continue
			}
			kind := "exploratory"
			switch {
			case c.Primary:
				kind = "primary"
			case i == len(m.Comparisons):
				kind = "aa"
			}
			against := ""
			if c.AgainstBase {
				against = "true"
			}
			visit(c, with(l, "a", c.A, "b", c.B, "scale", string(m.Scale), "kind", kind, "against_base", against))
		}
	})
}

func effect(c analysis.Comparison, of func(*analysis.Effect) *float64) *float64 {
	if c.Effect == nil {
		return nil
	}
	return of(c.Effect)
}

func estimate(e *analysis.Effect) *float64 { return &e.Estimate }

// further is nil unless a number of blocks is known.
func further(c analysis.Comparison) *float64 {
	if c.Further == 0 {
		return nil
	}
	return number(c.Further)
}
