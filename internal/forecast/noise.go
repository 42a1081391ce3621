package forecast

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// PlanningNoise is the paired standard deviation that the methodology plans
// with, for orientation (docs/methodology.md section 4).
const PlanningNoise = 0.028

// ErrNoTwins says that results hold no A/A comparison.
var ErrNoTwins = errors.New("no variant was measured under two names")

// Noise is what is known about noise. The zero value knows nothing.
type Noise struct {
	// Ratio is that of every metric on the ratio scale that was not measured;
	// 0: unknown.
	Ratio float64
	// of is what was measured, by CELL/METRIC, and the largest in the cells of a
	// scenario by that and the metric.
	of map[string]float64
}

// Measured takes the noise from the A/A comparisons of a campaign: of its twin,
// or of variants that are the same but for their names. It fails with
// ErrNoTwins when there are none.
func Measured(a analysis.Analysis) (Noise, error) {
	same := sameVariants(a.Plan)
	if a.Plan.Analysis.AA == nil && len(same) == 0 {
		return Noise{}, ErrNoTwins
	}
	n := Noise{of: map[string]float64{}}
	for _, c := range a.Cells {
		for _, m := range c.Metrics {
			d := twinDifferences(m, same)
			if len(d) < 2 {
				continue
			}
			noise, err := stats.NoiseOf(d, analysis.Confidence)
			if err != nil {
				return Noise{}, fmt.Errorf("the noise of %s of %s: %w", m.Name, c.ID, err)
			}
			n.of[c.ID+"/"+m.Name] = noise.SD
			key := inScenario(c.Scenario, m.Name)
			n.of[key] = max(n.of[key], noise.SD)
		}
	}
	return n, nil
}

func inScenario(scenario, metric string) string { return "scenario " + scenario + "/" + metric }

// twinDifferences lists the paired differences of everything that was compared
// with itself.
func twinDifferences(m analysis.Metric, same map[[2]string]bool) []float64 {
	var d []float64
	add := func(c analysis.Comparison) {
		for _, p := range c.Pairs {
			d = append(d, p.Difference)
		}
	}
	for _, c := range m.Comparisons {
		if same[[2]string{c.A, c.B}] || same[[2]string{c.B, c.A}] {
			add(c)
		}
	}
	if m.AA != nil {
		add(*m.AA)
	}
	return d
}

// sameVariants lists the pairs of names that stand for the same.
func sameVariants(p plan.Plan) map[[2]string]bool {
	same := map[[2]string]bool{}
	for i, a := range p.Variants {
		for _, b := range p.Variants[i+1:] {
			renamed := b
			if renamed.Name = a.Name; reflect.DeepEqual(a, renamed) {
				same[[2]string{a.Name, b.Name}] = true
			}
		}
	}
	return same
}

// Of returns the noise of a metric, and whether it was measured, in this cell
// or else in others of the scenario; false and not a number when it is unknown.
func (n Noise) Of(m Metric) (sd float64, measured bool) {
	for _, key := range []string{m.Name(), inScenario(m.Scenario, m.Metric.Name)} {
		if sd, ok := n.of[key]; ok {
			return sd, true
		}
	}
	if m.Scale == result.Ratio && n.Ratio > 0 {
		return n.Ratio, false
	}
	return math.NaN(), false
}
