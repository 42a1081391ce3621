package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// target is a check with the values that decide it.
type target struct {
	Check
	now   values // of the variant
	other values // of the base or of the baseline
	// within says that both are of one campaign, paired that values of one
	// block belong together.
	within, paired bool
	// failed says how many trials of the variant failed, empty when none did.
	failed string
}

// values are one variant's of a metric.
type values struct {
	metric *analysis.Metric // nil: nobody measured it
	arm    *analysis.Arm    // nil: without samples
	// lack says why there are no samples.
	lack string
}

func (r Request) base() string {
	if r.Base != "" {
		return r.Base
	}
	return r.Now.Plan.Analysis.Base
}

// choose lists the checks: each metric of each variant, then the limits. It
// makes sure that every name in the request means something.
func (r Request) choose() ([]target, error) {
	variants, err := r.variants()
	if err != nil {
		return nil, err
	}
	var list []target
	if !r.LimitsOnly {
		if list, err = r.comparisons(variants); err != nil {
			return nil, err
		}
	}
	for _, l := range r.Limits {
		more, err := r.limit(l, variants)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, problem("name a baseline with --baseline DIR, a metric with --metric CELL/METRIC, or a limit such as --min throughput=9Gbit/s", "nothing is to pass")
	}
	return list, r.checkMargins(list)
}

// variants are those that have to pass.
func (r Request) variants() ([]string, error) {
	var all []string
	for _, v := range r.Now.Plan.Variants {
		all = append(all, v.Name)
	}
	if r.Base != "" && !slices.Contains(all, r.Base) {
		return nil, problem("its variants are "+strings.Join(all, ", "), "--base: the campaign has no variant %q", r.Base)
	}
	for _, v := range r.Variants {
		if !slices.Contains(all, v) {
			return nil, problem("its variants are "+strings.Join(all, ", "), "--variant: the campaign has no variant %q", v)
		}
		if v == r.base() && r.Baseline == nil && !r.LimitsOnly {
			return nil, problem("name another base with --base VARIANT, or a baseline with --baseline DIR", "--variant: %s is the base that the others are compared with", v)
		}
	}
	if len(r.Variants) > 0 {
		return unique(r.Variants), nil
	}
	others := slices.DeleteFunc(slices.Clone(all), func(v string) bool { return v == r.base() || r.Now.Plan.IsTwin(v) })
	if len(others) == 0 && (r.Baseline != nil || r.LimitsOnly) {
		return all, nil // it is all that there is
	}
	return others, nil
}

// comparisons are the metrics that have to pass against base or baseline.
func (r Request) comparisons(variants []string) ([]target, error) {
	metrics := unique(r.Metrics)
	if len(metrics) == 0 {
		metrics = r.Now.Plan.Analysis.Primary
	}
	var list []target
	for _, name := range metrics {
		cell, metric, ok := strings.Cut(name, "/")
		if i := strings.LastIndexByte(name, '/'); ok {
			cell, metric = name[:i], name[i+1:]
		}
		if err := r.checkMetric(name, cell, metric); err != nil {
			return nil, err
		}
		for _, v := range variants {
			t := target{Check: Check{Variant: v, Cell: cell, Metric: metric, Outcome: stats.Undecided}}
			t.within = r.Baseline == nil
			t.paired = t.within && !r.Now.Plan.Unpaired()
			t.now = valuesOf(r.Now, cell, metric, v)
			if r.Baseline != nil {
				t.other = valuesOf(*r.Baseline, cell, metric, v)
			} else {
				t.other = valuesOf(r.Now, cell, metric, r.base())
			}
			t.failed = failures(r.Now, cell, v)
			t.describe()
			if err := r.setMargin(&t); err != nil {
				return nil, err
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// checkMetric refuses a metric that the user names and that cannot be meant.
// What the campaign declared, or what failed to be measured, is none of these.
func (r Request) checkMetric(name, cell, metric string) error {
	if len(r.Metrics) == 0 {
		return nil
	}
	c := cellOf(r.Now, cell)
	if c == nil {
		var ids []string
		for _, c := range r.Now.Cells {
			ids = append(ids, c.ID)
		}
		return problem("its cells are "+strings.Join(ids, ", "), "--metric: %q is no CELL/METRIC of the campaign", name)
	}
	if len(c.Metrics) == 0 || metricOf(c, metric) != nil || slices.ContainsFunc(c.Gaps, func(g analysis.Gap) bool { return g.Metric == metric }) {
		return nil
	}
	return problem("its metrics are "+strings.Join(metricNames(*c), ", "), "--metric: the cell %s has no metric %q", cell, metric)
}

// limit lists the checks of one limit: in every cell that reports the metric,
// or that reports nothing and might have.
func (r Request) limit(l Limit, variants []string) ([]target, error) {
	var list []target
	var seen []string
	for _, c := range r.Now.Cells {
		metric, mine := strings.CutPrefix(l.Metric, c.ID+"/")
		m := metricOf(&c, metric)
		gap := slices.ContainsFunc(c.Gaps, func(g analysis.Gap) bool { return g.Metric == metric })
		seen = append(seen, metricNames(c)...)
		if (strings.Contains(l.Metric, "/") && !mine) || (m == nil && !gap && len(c.Metrics) > 0) {
			continue
		}
		for _, v := range variants {
			t := target{Check: Check{Variant: v, Cell: c.ID, Metric: metric, Bound: l.Bound, LimitText: l.Text, Outcome: stats.Undecided}}
			t.now, t.failed = valuesOf(r.Now, c.ID, metric, v), failures(r.Now, c.ID, v)
			t.describe()
			if m != nil {
				value, err := l.in(m.Unit)
				if err == nil && m.Scale == result.Ratio && value <= 0 {
					err = fmt.Errorf("it must be above 0, as all values of %s are", m.Name)
				}
				if err != nil {
					return nil, problem(fmt.Sprintf("write --%s %s=NUMBER%s", l.Bound, l.Metric, m.Unit), "--%s %s: %v", l.Bound, l.Text, err)
				}
				t.Limit = &value
			}
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil, problem("its metrics are "+strings.Join(unique(seen), ", "), "--%s %s: no cell of the campaign has a metric %q", l.Bound, l.Text, l.Metric)
	}
	return list, nil
}

// describe takes over what a metric is from whoever measured it.
func (t *target) describe() {
	for _, v := range []values{t.other, t.now} {
		if v.metric != nil {
			t.Unit, t.Better, t.Scale = v.metric.Unit, v.metric.Better, v.metric.Scale
		}
	}
}

// setMargin chooses the margin: the flag for this metric, the flag for all
// ratios, or the campaign's.
func (r Request) setMargin(t *target) error {
	if t.now.metric == nil && t.other.metric == nil {
		return nil
	}
	own := t.now.metric
	if own == nil {
		own = t.other.metric
	}
	margin, rank := own.Margin, -1
	for _, m := range r.Margins {
		k := m.rank(t.Check)
		if k < rank || k < 0 {
			continue
		}
		value, err := m.on(t.Scale, t.Unit)
		if err != nil {
			return problem(fmt.Sprintf("write --margin %s=%s", t.Metric, example(t.Scale, t.Unit)), "--margin %s: %v", m.Text, err)
		}
		margin, rank = value, k
	}
	t.Margin = &margin
	return nil
}

// rank says how closely a margin means a check: 2 for CELL/METRIC, 1 for METRIC,
// 0 for all ratios, and below 0 when it does not mean it.
func (m Margin) rank(c Check) int {
	switch {
	case m.Metric == c.Cell+"/"+c.Metric:
		return 2
	case m.Metric == c.Metric:
		return 1
	case m.Metric == "" && c.Scale == result.Ratio:
		return 0
	}
	return -1
}

// on is the margin as the given scale has it.
func (m Margin) on(scale result.Scale, unit string) (float64, error) {
	if scale != result.Ratio {
		return m.in(unit)
	}
	if m.Unit != "%" {
		return 0, fmt.Errorf("the metric is compared as a ratio, and its margin is a percentage")
	}
	return m.Value / 100, nil
}

func example(scale result.Scale, unit string) string {
	if scale == result.Ratio {
		return "3%"
	}
	return "NUMBER" + unit
}

// checkMargins refuses a margin that no check uses: it is a slip of the pen,
// and the gate would be another than was meant.
func (r Request) checkMargins(list []target) error {
	for _, m := range r.Margins {
		used := slices.ContainsFunc(list, func(t target) bool {
			unmeasured := m.Metric == "" && t.Scale == ""
			return t.Bound == "" && (m.rank(t.Check) >= 0 || unmeasured)
		})
		if !used {
			return problem("name one of "+strings.Join(compared(list), ", "), "--margin %s: nothing that has to pass has such a margin", m.Text)
		}
	}
	return nil
}

func compared(list []target) []string {
	var names []string
	for _, t := range list {
		if t.Bound == "" {
			names = append(names, t.Cell+"/"+t.Metric)
		}
	}
	return unique(names)
}

func cellOf(a analysis.Analysis, id string) *analysis.Cell {
	if i := slices.IndexFunc(a.Cells, func(c analysis.Cell) bool { return c.ID == id }); i >= 0 {
		return &a.Cells[i]
	}
	return nil
}

func metricOf(c *analysis.Cell, name string) *analysis.Metric {
	if i := slices.IndexFunc(c.Metrics, func(m analysis.Metric) bool { return m.Name == name }); i >= 0 {
		return &c.Metrics[i]
	}
	return nil
}

func metricNames(c analysis.Cell) []string {
	var names []string
	for _, m := range c.Metrics {
		names = append(names, m.Name)
	}
	return names
}

// unique keeps the first of equal texts.
func unique(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}
