package export

import (
	"github.com/cnibench/cnibench/internal/analysis"
)

// summaries writes what each variant reached: the numbers of the report.
func (x *exporter) summaries() {
	x.counts()
	families := []struct {
		name, help string
		of         func(*analysis.Summary) *float64
	}{
		{"median", "Median over the blocks, in the unit of its label.", func(s *analysis.Summary) *float64 { return &s.Median }},
		{"median_low", "Lower end of the median's interval.", func(s *analysis.Summary) *float64 { return low(s.Interval) }},
		{"median_high", "Upper end of the median's interval.", func(s *analysis.Summary) *float64 { return high(s.Interval) }},
		{"median_coverage", "Probability that the median's interval attains, of 1.", func(s *analysis.Summary) *float64 { return coverage(s.Interval) }},
		{"mean", "Mean over the blocks, in the unit of its label.", func(s *analysis.Summary) *float64 { return &s.Mean }},
		{"deviation", "Standard deviation over the blocks, in the unit of its label.", func(s *analysis.Summary) *float64 { return s.SD }},
		{"min", "Smallest value of a block, in the unit of its label.", func(s *analysis.Summary) *float64 { return &s.Min }},
		{"max", "Largest value of a block, in the unit of its label.", func(s *analysis.Summary) *float64 { return &s.Max }},
	}
	for _, f := range families {
		x.family("cnibench_summary_"+f.name, "", f.help)
		x.arms(func(a analysis.Arm) *float64 {
			if a.Summary == nil {
				return nil
			}
			return f.of(a.Summary)
		})
	}
	x.family("cnibench_summary_samples", "", "Blocks that have a value.")
	x.arms(func(a analysis.Arm) *float64 { return number(len(a.Samples)) })
	x.family("cnibench_summary_absent", "", "Trials that are ok and do not have the metric.")
	x.arms(func(a analysis.Arm) *float64 { return number(a.Absent) })
}

// counts writes what became of the planned trials; these zeros are true.
func (x *exporter) counts() {
	x.family("cnibench_trials", "", "Planned trials by what became of them; the last attempt decides.")
	for _, c := range x.source.Analysis.Cells {
		for _, o := range c.Outcomes {
			if !x.only.trial(o.Variant, c.ID) {
				continue
			}
			l := with(x.campaign, "variant", o.Variant, "cell", c.ID, "scenario", c.Scenario)
			for _, n := range []struct {
				status string
				count  int
			}{{"ok", o.OK}, {"failed", o.Failed}, {"invalid", o.Invalid}, {"unsupported", o.Unsupported}, {"missing", o.Missing}} {
				x.state(with(l, "status", n.status), float64(n.count))
			}
		}
	}
}

// arms adds a sample for each variant that has the number.
func (x *exporter) arms(of func(analysis.Arm) *float64) {
	x.metrics(func(c analysis.Cell, m analysis.Metric, l labels) {
		for _, a := range m.Arms {
			if value := of(a); value != nil && x.only.variant(a.Variant) {
				x.state(with(l, "variant", a.Variant), *value)
			}
		}
	})
}

// metrics visits every metric of every selected cell with its labels.
func (x *exporter) metrics(visit func(analysis.Cell, analysis.Metric, labels)) {
	for _, c := range x.source.Analysis.Cells {
		if !x.only.cell(c.ID) {
			continue
		}
		for _, m := range c.Metrics {
			visit(c, m, with(x.campaign, "cell", c.ID, "scenario", c.Scenario,
				"metric", m.Name, "unit", m.Unit, "better", string(m.Better)))
		}
	}
}

func number(n int) *float64 {
	x := float64(n)
	return &x
}

func low(i *analysis.Interval) *float64 {
	if i == nil {
		return nil
	}
	return &i.Low
}

func high(i *analysis.Interval) *float64 {
	if i == nil {
		return nil
	}
	return &i.High
}

func coverage(i *analysis.Interval) *float64 {
	if i == nil {
		return nil
	}
	return &i.Coverage
}
