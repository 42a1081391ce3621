package cost

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Options choose what of a campaign is priced.
type Options struct {
	// Against is the variant that savings are counted from; empty: the first
	// that is not the baseline.
	Against string
	// Baseline is the variant with the host network; empty: the one whose
	// catalog entry is host.
	Baseline string
	// Cells names, by term, the CELL or CELL/METRIC to take.
	Cells map[string]string
	// Machines is over how many nodes a trial's CPU and memory are; 0: as
	// topology and placement say.
	Machines int
}

// OptionError is an option that names nothing that there is.
type OptionError struct {
	Message string
	Fix     string
}

func (e *OptionError) Error() string { return e.Message }

// Hint says what to write instead.
func (e *OptionError) Hint() string { return e.Fix }

// hostEntry is the catalog's entry for pods on the host network.
const hostEntry = "host"

// Campaign prices what a campaign measured. Its error is an *OptionError where
// an option names nothing.
func Campaign(a analysis.Analysis, p Prices, o Options) (Costs, error) {
	m := &measured{a: a, prices: p, options: o, loose: a.Plan.Unpaired()}
	if err := m.findBaseline(); err != nil {
		return Costs{}, err
	}
	if err := m.chooseAll(); err != nil {
		return Costs{}, err
	}
	c := Costs{Schema: SchemaVersion, Source: a.Plan.Name, Unpaired: m.loose, Prices: p, Baseline: m.baseline, Inputs: m.inputs(), Notes: m.notes()}
	e := estimator{loose: m.loose, single: m.single()}
	c.Variants = evaluate(p, m.usages(), e)
	against, err := m.against(c.Variants)
	if err != nil || against == nil {
		c.Savings, c.BreakEvens = []Saving{}, []BreakEven{}
		return c, err
	}
	return c, c.compare(*against, e)
}

// compare adds what is said of pairs.
func (c *Costs) compare(against Variant, e estimator) (err error) {
	c.Against = against.Name
	if c.Savings, err = savings(c.Prices, c.Variants, against, e); err != nil {
		return err
	}
	if c.BreakEvens, err = breakEvens(c.Prices, c.Variants, against, e); err != nil {
		return fmt.Errorf("looking for the sizes at which costs are equal: %w", err)
	}
	return nil
}

// measured is what a campaign measured, as far as it can be priced.
type measured struct {
	a        analysis.Analysis
	prices   Prices
	options  Options
	baseline string
	// loose says that runs are no blocks: nothing is paired.
	loose bool

	cpu, memory, latency, energy, capacity choice
}

func (m *measured) names() []string {
	var names []string
	for _, v := range m.a.Plan.Variants {
		names = append(names, v.Name)
	}
	return names
}

// findBaseline finds the variant with the host network. Imported results have
// no catalog: there it is the one that is called so.
func (m *measured) findBaseline() error {
	if name := m.options.Baseline; name != "" {
		if !slices.Contains(m.names(), name) {
			return &OptionError{fmt.Sprintf("the campaign has no variant %q", name), "--host: " + document.DidYouMean(name, m.names(), "there are "+strings.Join(m.names(), ", "))}
		}
		m.baseline = name
		return nil
	}
	i := slices.IndexFunc(m.a.Plan.Variants, func(v plan.Variant) bool {
		return v.Entry == hostEntry || m.a.Plan.Imported != nil && plan.BaselineName(v.Name)
	})
	if i >= 0 {
		m.baseline = m.a.Plan.Variants[i].Name
	}
	return nil
}

// against is the variant that savings are counted from, nil without any.
func (m *measured) against(variants []Variant) (*Variant, error) {
	if name := m.options.Against; name != "" {
		i := slices.IndexFunc(variants, func(v Variant) bool { return v.Name == name })
		if i < 0 {
			return nil, &OptionError{fmt.Sprintf("the campaign has no variant %q", name), "--against: " + document.DidYouMean(name, m.names(), "there are "+strings.Join(m.names(), ", "))}
		}
		return &variants[i], nil
	}
	i := slices.IndexFunc(variants, func(v Variant) bool { return !v.Baseline && !v.Twin })
	if i < 0 || len(rivals(variants, variants[i].Name)) == 0 {
		return nil, nil
	}
	return &variants[i], nil
}

// single says that all blocks are of one installation of each variant.
func (m *measured) single() bool { return m.a.Plan.Imported == nil && !m.a.Plan.FreshCluster }

// usages are what all variants use, in the order of the plan.
func (m *measured) usages() []usage {
	var list []usage
	for _, v := range m.a.Plan.Variants {
		list = append(list, usage{
			name: v.Name, baseline: v.Name == m.baseline, twin: m.a.Plan.IsTwin(v.Name), nodes: m.prices.Nodes,
			cpu: m.overhead(m.cpu, v.Name), memory: m.overhead(m.memory, v.Name), energy: m.overhead(m.energy, v.Name),
			latency: m.level(m.latency, v.Name), capacity: m.level(m.capacity, v.Name),
		})
	}
	return list
}

// level is a metric as it was measured.
func (m *measured) level(c choice, variant string) quantity {
	q := quantity{unit: c.unit, missing: c.missing}
	if q.missing != "" {
		return q
	}
	if q.values = m.samples(c, variant).mapped(func(x float64) float64 { return x * c.factor }); len(q.values) == 0 {
		q.missing = m.whyEmpty(c, variant)
		return q
	}
	found, _ := findMetric(m.a, c.cell, c.metric)
	q.margin = found.Margin * c.factor
	if found.Scale == result.Ratio {
		q.margin = found.Margin * largest(q.values)
	}
	return q
}

// largest is the largest value of a sample: a margin that is a share of it is
// on the safe side.
func largest(s series) float64 { return slices.Max(s.values()) }

// overhead is a metric less that of the baseline in the same block; where runs
// are no blocks, less the middle of the baseline's runs.
func (m *measured) overhead(c choice, variant string) quantity {
	q := m.level(c, variant)
	if q.missing != "" || c.own {
		return q
	}
	base := m.samples(c, m.baseline)
	scaled := base.mapped(func(x float64) float64 { return x * c.factor })
	less := func(v, b float64) float64 { return v - b }
	switch {
	case m.loose:
		middle, err := stats.HodgesLehmann(scaled.values())
		if err != nil {
			q.missing = err.Error()
			return q
		}
		q.values = q.values.mapped(func(v float64) float64 { return v - middle })
	default:
		q.values = q.values.both(scaled, less)
	}
	if variant == m.baseline {
		q.values = q.values.mapped(func(float64) float64 { return 0 })
	}
	q = m.sameWork(q, c, variant)
	if len(q.values) == 0 && q.missing == "" {
		q.missing = fmt.Sprintf("no block of %s has both it and %s", c.cell, m.baseline)
	}
	return q
}

// sameRate is by how much the rates of two variants may differ for their CPU
// to be that of the same work.
const sameRate = 0.02

// sameWork leaves out the blocks in which a variant answered requests at
// another rate than the baseline, and turns cores into cores per request where
// that is what is priced.
func (m *measured) sameWork(q quantity, c choice, variant string) quantity {
	if c.rate == "" {
		return q
	}
	mine, base := m.metric(c.cell, c.rate, variant), m.metric(c.cell, c.rate, m.baseline)
	before := len(q.values)
	var kept series
	least := math.Inf(1)
	for _, p := range q.values {
		a, okA := mine.at(p.block)
		b, okB := base.at(p.block)
		if okA && okB && b > 0 && a >= b*(1-sameRate) && a <= b*(1+sameRate) {
			if c.unit == coresPerRequest {
				p.value /= b
			}
			least = min(least, b)
			kept = append(kept, p)
		}
	}
	if c.unit == coresPerRequest {
		q.margin /= least
	}
	if q.values = kept; len(kept) == 0 && before > 0 {
		q.missing = fmt.Sprintf("its rate in %s is more than 2 %% off that of %s in every block: their CPU is not that of the same work", c.cell, m.baseline)
	}
	return q
}

func (m *measured) samples(c choice, variant string) series {
	return m.metric(c.cell, c.metric, variant)
}

// metric has the values of a variant by block.
func (m *measured) metric(cell, name, variant string) series {
	found, ok := findMetric(m.a, cell, name)
	if !ok {
		return nil
	}
	var s series
	for _, arm := range found.Arms {
		if arm.Variant != variant {
			continue
		}
		for _, sample := range arm.Samples {
			s = append(s, point{sample.Block, sample.Value})
		}
	}
	return s
}

// whyEmpty says why a variant has no value of a metric that others have.
func (m *measured) whyEmpty(c choice, variant string) string {
	for _, cell := range m.a.Cells {
		if cell.ID != c.cell {
			continue
		}
		for _, gap := range cell.Gaps {
			if gap.Variant == variant && gap.Metric == c.metric {
				return gap.Reason
			}
		}
		for _, o := range cell.Outcomes {
			if o.Variant == variant && o.OK == 0 {
				return fmt.Sprintf("no trial of it in %s is ok (%s)", c.cell, o.Losses())
			}
		}
	}
	return fmt.Sprintf("no trial of it in %s has %s", c.cell, c.metric)
}

func findMetric(a analysis.Analysis, cell, name string) (analysis.Metric, bool) {
	for _, c := range a.Cells {
		if c.ID != cell {
			continue
		}
		for _, m := range c.Metrics {
			if m.Name == name {
				return m, true
			}
		}
	}
	return analysis.Metric{}, false
}
