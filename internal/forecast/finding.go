package forecast

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// Powers that effects are given for.
const (
	usualPower = 0.80
	highPower  = 0.95
)

// mostBlocks is the largest number of blocks that is simulated, to answer in
// about a second. More blocks find smaller effects.
const mostBlocks = 50

// Metric is a primary metric in one cell. Margin is the one that verdicts use.
type Metric struct {
	Cell, Scenario string
	result.Metric
}

// Name is that of the campaign file, CELL/METRIC.
func (m Metric) Name() string { return m.Cell + "/" + m.Metric.Name }

// Finding says what a plan is likely to find in metrics that have scale,
// margin and noise in common.
type Finding struct {
	Metrics []Metric
	// SD is the noise, not a number when it is unknown: then nothing is said.
	SD       float64
	Measured bool // it comes from an A/A campaign
	Looks    []Look
}

// Look is what is found if the campaign ends after so many blocks. Effects are
// as reports show them: a fraction on the ratio scale, else in the unit.
type Look struct {
	Blocks int
	// Simulated is the number of blocks that the figures are of: Blocks, or the
	// most that is simulated.
	Simulated int
	// At80 and At95 are the smallest effects that are found to exceed the margin
	// in so many of 100 campaigns, HalfWidth the usual one of an interval on the
	// scale of differences. Equivalent is the share of campaigns which find that
	// two of the same are.
	At80, At95, HalfWidth, Equivalent float64
	// Absent says why no verdict is possible; effects are then not numbers.
	Absent string
}

// Looks lists after how many blocks the plan may end.
func Looks(p plan.Plan) []int {
	if p.Stop != nil {
		return slices.Clone(p.Stop.Looks)
	}
	return []int{len(p.Blocks)}
}

// Find forecasts what the plan finds, metrics grouped in their order. It fails
// when the noise or a margin makes no sense.
func Find(p plan.Plan, metrics []Metric, noise Noise) ([]Finding, error) {
	var findings []Finding
	for _, m := range metrics {
		sd, measured := noise.Of(m)
		i := slices.IndexFunc(findings, func(f Finding) bool { return f.holds(m, sd) })
		if i < 0 {
			findings = append(findings, Finding{SD: sd, Measured: measured})
			i = len(findings) - 1
		}
		findings[i].Metrics = append(findings[i].Metrics, m)
	}
	s := simulator{p: p, excess: map[key]stats.Effect{}, widths: map[int]float64{}}
	for i := range findings {
		f := &findings[i]
		if math.IsNaN(f.SD) || p.Family() == 0 {
			continue
		}
		for _, blocks := range Looks(p) {
			look, err := s.look(f.Metrics[0], f.SD, blocks)
			if err != nil {
				return nil, fmt.Errorf("what %d blocks find in %s: %w", blocks, f.Metrics[0].Name(), err)
			}
			f.Looks = append(f.Looks, look)
		}
	}
	return findings, nil
}

// holds tells whether a metric belongs to the finding.
func (f Finding) holds(m Metric, sd float64) bool {
	first := f.Metrics[0]
	same := f.SD == sd || math.IsNaN(f.SD) && math.IsNaN(sd)
	return same && first.Scale == m.Scale && first.Unit == m.Unit && first.Margin == m.Margin
}

// simulator keeps what several metrics need. By how much an effect has to
// exceed the margin is proportional to the noise, as is the width of an
// interval, so that one simulation at noise 1 serves all metrics.
type simulator struct {
	p      plan.Plan
	excess map[key]stats.Effect
	widths map[int]float64
}

type key struct {
	blocks int
	power  float64
}

func (s simulator) look(m Metric, sd float64, blocks int) (Look, error) {
	l := Look{Blocks: blocks, Simulated: min(blocks, mostBlocks)}
	margin := m.Margin
	if m.Scale == result.Ratio {
		margin = math.Log1p(m.Margin)
	}
	for power, into := range map[float64]*float64{usualPower: &l.At80, highPower: &l.At95} {
		e, err := s.beyond(key{l.Simulated, power})
		if err != nil {
			return l, err
		}
		if l.Absent = e.Absent; e.Absent != "" {
			l.At80, l.At95 = math.NaN(), math.NaN()
			return l, nil
		}
		*into = shown(m, margin+sd*e.Shift)
	}
	chances, err := s.design(l.Simulated, margin, sd).Power(0, s.p.Seed)
	if err != nil {
		return l, err
	}
	l.Equivalent = chances.Equivalent
	width, err := s.width(l.Simulated)
	l.HalfWidth = sd * width
	return l, err
}

// design is the plan's with a family that is decided together. Noise of 0 is
// taken for next to none.
func (s simulator) design(blocks int, margin, sd float64) stats.Design {
	return stats.Design{
		Pairs: blocks, Margin: margin, SD: max(sd, 1e-12), Family: s.p.Family(), Alpha: analysis.Alpha(s.p),
	}
}

// beyond is by how many standard deviations an effect has to exceed the margin.
func (s simulator) beyond(k key) (stats.Effect, error) {
	if e, ok := s.excess[k]; ok {
		return e, nil
	}
	e, err := s.design(k.blocks, 0, 1).MinimalEffect(k.power, s.p.Seed)
	s.excess[k] = e
	return e, err
}

// widthSamples is the number of intervals of which the median width is taken.
const widthSamples = 400

// width is the median half-width of the interval of so many normal differences
// with a standard deviation of 1; infinite when there are too few.
func (s simulator) width(blocks int) (float64, error) {
	if w, ok := s.widths[blocks]; ok {
		return w, nil
	}
	random := rand.New(rand.NewPCG(s.p.Seed, uint64(blocks)))
	widths := make([]float64, widthSamples)
	d := make([]float64, blocks)
	for i := range widths {
		for j := range d {
			d[j] = random.NormFloat64()
		}
		shift, err := stats.PairedShift(d, analysis.Confidence)
		if err != nil {
			return 0, err
		}
		widths[i] = shift.Interval.HalfWidth()
	}
	slices.Sort(widths)
	s.widths[blocks] = widths[len(widths)/2]
	return s.widths[blocks], nil
}

// shown turns a shift of differences into the effect that reports show.
func shown(m Metric, shift float64) float64 {
	if m.Scale == result.Ratio {
		return math.Expm1(shift)
	}
	return shift
}
