package calibration

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// ErrNoTwins says that a campaign is no A/A campaign.
var ErrNoTwins = errors.New("no variant was measured under two names")

// Options is what is asked besides the noise.
type Options struct {
	Effect   float64       // a fraction of the value; 0: none
	Budget   time.Duration // for a later campaign; 0: none
	Variants []int         // of that campaign; nil: several numbers
}

// Of calibrates by an A/A campaign, or by the twins in another: its analysis,
// every attempt of its journal, and the environment. It fails with ErrNoTwins
// when no two variants are the same, and when options make no sense.
func Of(a analysis.Analysis, trials []result.Trial, env result.Environment, o Options) (Calibration, error) {
	return of(a, trials, env, o, newPlanner())
}

func of(a analysis.Analysis, trials []result.Trial, env result.Environment, o Options, p *planner) (Calibration, error) {
	if err := o.check(); err != nil {
		return Calibration{}, err
	}
	first, second, err := Twins(a.Plan)
	if err != nil {
		return Calibration{}, err
	}
	c := Calibration{
		Schema: SchemaVersion, Name: a.Plan.Name, Plan: a.Plan.Hash, Variant: first.Description(), Twins: [2]string{first.Name, second.Name},
		Topology: a.Topology, Scope: scopeOf(a.Plan), Blocks: len(a.Plan.Blocks), Family: a.Family, Metrics: []Metric{},
		Costs: costsOf(a.Plan, trials, env.Created),
	}
	for _, cell := range a.Cells {
		for _, m := range cell.Metrics {
			if m.Folded() {
				continue
			}
			calibrated, err := metricOf(cell.ID, m, c.Twins, o, p)
			if err != nil {
				return Calibration{}, fmt.Errorf("calibrating %s of %s: %w", m.Name, cell.ID, err)
			}
			c.Metrics = append(c.Metrics, calibrated)
		}
	}
	if o.Budget > 0 {
		if c.Schedule, err = scheduleOf(c, o, p); err != nil {
			return Calibration{}, fmt.Errorf("planning for %s: %w", o.Budget, err)
		}
	}
	c.Warnings, err = warningsOf(c, a)
	return c, err
}

func (o Options) check() error {
	if math.IsNaN(o.Effect) || o.Effect < 0 || o.Effect > 10 {
		return fmt.Errorf("an effect of %v is none to look for", o.Effect)
	}
	if o.Budget < 0 {
		return fmt.Errorf("a budget of %s is none", o.Budget)
	}
	for _, v := range o.Variants {
		if v < 2 || v > 1000 {
			return fmt.Errorf("%d variants cannot be compared", v)
		}
	}
	return nil
}

// Twins returns the variant of a plan with its A/A twin or else the first two
// that are the same but for their names. It fails with ErrNoTwins.
func Twins(p plan.Plan) (first, second plan.Variant, err error) {
	if aa := p.Analysis.AA; aa != nil {
		named := func(name string) int {
			return slices.IndexFunc(p.Variants, func(v plan.Variant) bool { return v.Name == name })
		}
		if a, b := named(aa.Variant), named(aa.Name); a >= 0 && b >= 0 {
			return p.Variants[a], p.Variants[b], nil
		}
	}
	for i, a := range p.Variants {
		for _, b := range p.Variants[i+1:] {
			renamed := b
			renamed.Name = a.Name
			if reflect.DeepEqual(a, renamed) {
				return a, b, nil
			}
		}
	}
	return first, second, ErrNoTwins
}

func scopeOf(p plan.Plan) Scope {
	switch {
	case p.Shared():
		return OneCluster
	case p.FreshCluster:
		return NewClusters
	}
	return OneInstallation
}

// metricOf calibrates one metric.
func metricOf(cell string, m analysis.Metric, twins [2]string, o Options, p *planner) (Metric, error) {
	c := Metric{Cell: cell, Metric: m.Metric, Primary: m.Primary}
	d := differences(m, twins, &c)
	if c.Pairs = len(d); len(d) == 0 {
		c.Absent = "no block has a value of both twins"
		return c, nil
	}
	both, err := stats.PTwoSided(d, 0)
	if err != nil {
		return c, err
	}
	c.P = &both
	if c.Alarms, err = alarmsOf(d, c.margin()); err != nil {
		return c, err
	}
	noise, err := stats.NoiseOf(d, analysis.Confidence)
	if err != nil {
		return c, err
	}
	if math.IsNaN(noise.SD) {
		c.Absent = "one block alone has no spread"
		return c, nil
	}
	c.Noise = &Noise{SD: noise.SD, Robust: noise.Robust}
	if noise.Interval.Absent == "" {
		c.Noise.Interval = &analysis.Interval{
			Low: noise.Interval.Low, High: noise.Interval.High, Confidence: noise.Interval.Confidence, Coverage: noise.Interval.Coverage,
		}
	}
	if noise.SD == 0 {
		c.Absent = "all differences are equal: there is no noise to plan with"
		return c, nil
	}
	return c, c.look(o, p)
}

// look says what can be found at the metric's noise.
func (m *Metric) look(o Options, p *planner) (err error) {
	if m.Smallest, err = m.smallest(p); err != nil || o.Effect == 0 || !m.Primary {
		return err
	}
	m.Needed, err = m.needed(o.Effect, p)
	return err
}

// differences returns the twins' paired differences, and notes the comparison
// that has them.
func differences(m analysis.Metric, twins [2]string, into *Metric) []float64 {
	all := m.Comparisons
	if m.AA != nil { // a campaign's own twin is in no other comparison
		all = append(slices.Clone(all), *m.AA)
	}
	for _, c := range all {
		if c.A != twins[0] || c.B != twins[1] {
			if c.A != twins[1] || c.B != twins[0] {
				continue
			}
		}
		d := make([]float64, len(c.Pairs))
		for i, p := range c.Pairs {
			d[i] = p.Difference
		}
		if into.Effect = c.Effect; c.Effect != nil {
			into.Verdict = c.Verdict
		}
		return d
	}
	return nil
}

// margin is the metric's on the scale of differences.
func (m Metric) margin() float64 {
	if m.Scale == result.Ratio {
		return math.Log1p(m.Margin)
	}
	return m.Margin
}

// shown turns a shift of differences into the effect that is shown.
func (m Metric) shown(shift float64) float64 {
	if m.Scale == result.Ratio {
		return math.Expm1(shift)
	}
	return shift
}
