package calibration

import (
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// planner knows which effects designs find. By how much an effect has to exceed
// the margin is proportional to the noise, so that one simulation at noise 1
// serves all metrics.
type planner struct {
	excess map[design]float64
}

// design is a number of blocks, a family that is decided together, and a power.
type design struct {
	blocks, family int
	power          float64
}

func newPlanner() *planner { return &planner{map[design]float64{}} }

// seed of the simulations: the same results give the same answers.
const seed = 1

// beyond returns by how many standard deviations of the paired differences an
// effect has to exceed the margin; NaN when the design reaches no verdict.
func (p *planner) beyond(d design) (float64, error) {
	if x, ok := p.excess[d]; ok {
		return x, nil
	}
	e, err := stats.Design{Pairs: d.blocks, SD: 1, Family: d.family}.MinimalEffect(d.power, seed)
	if err != nil {
		return 0, err
	}
	p.excess[d] = e.Shift
	return e.Shift, nil
}

// effect returns the smallest effect of a metric that a design finds at the
// given noise, as it is shown.
func (p *planner) effect(m Metric, d design, sd float64) (float64, error) {
	x, err := p.beyond(d)
	return m.shown(m.margin() + x*sd), err
}

// numbers are those of blocks that effects are given for, after the least.
var numbers = []int{10, 15, 20, 30}

// smallest lists the effects that one comparison by itself finds.
func (m Metric) smallest(p *planner) ([]Smallest, error) {
	least, err := stats.MinBlocks(stats.VerdictAlpha, 1)
	if err != nil {
		return nil, err
	}
	var list []Smallest
	for _, n := range append([]int{least}, numbers...) {
		s := Smallest{Blocks: n}
		if s.At80, err = p.effect(m, design{n, 1, usualPower}, m.Noise.SD); err != nil {
			return nil, err
		}
		if s.At95, err = p.effect(m, design{n, 1, highPower}, m.Noise.SD); err != nil {
			return nil, err
		}
		if iv := m.Noise.Interval; iv != nil {
			cautious, err := p.effect(m, design{n, 1, usualPower}, iv.High)
			if err != nil {
				return nil, err
			}
			s.Cautious = finite(cautious)
		}
		if finite(s.At80) != nil && finite(s.At95) != nil {
			list = append(list, s)
		}
	}
	return list, nil
}

// needed says how many blocks show an effect of the given size.
func (m Metric) needed(effect float64, p *planner) (*Needed, error) {
	n := &Needed{Effect: effect}
	if m.Scale != result.Ratio {
		n.Absent = fmt.Sprintf("the metric is compared in %s, not in per cent", m.Unit)
		return n, nil
	}
	shift := math.Log1p(effect)
	if shift == m.margin() {
		n.Absent = "an effect equal to the margin is inconclusive however many blocks there are"
		return n, nil
	}
	n.Equivalent = shift < m.margin()
	var err error
	if n.At80, err = m.blocksFor(shift, usualPower, p); err != nil {
		return nil, err
	}
	if n.At95, err = m.blocksFor(shift, highPower, p); err != nil {
		return nil, err
	}
	if n.At80 == 0 {
		n.Absent = fmt.Sprintf("not with %d blocks at this noise", MostBlocks)
	}
	return n, nil
}

// blocksFor returns the least number of blocks that shows a shift with the
// given power, 0 when there is none up to MostBlocks.
func (m Metric) blocksFor(shift, power float64, p *planner) (int, error) {
	if shift < m.margin() {
		e, err := stats.Design{Pairs: 1, Margin: m.margin(), SD: m.Noise.SD}.BlocksFor(shift, power, seed)
		if err != nil || e.Absent != "" || e.Blocks > MostBlocks {
			return 0, err
		}
		return e.Blocks, nil
	}
	var failed error
	found := func(n int) bool {
		x, err := p.beyond(design{n, 1, power})
		if err != nil {
			failed = err
		}
		return m.margin()+x*m.Noise.SD <= shift // never when x is not a number
	}
	// Few blocks are cheap to simulate: come from below.
	high := 1
	for high < MostBlocks && !found(high) {
		high = min(2*high, MostBlocks)
	}
	if !found(high) {
		return 0, failed
	}
	candidates := make([]int, high-high/2)
	for i := range candidates {
		candidates[i] = high/2 + 1 + i
	}
	i, _ := slices.BinarySearchFunc(candidates, true, func(n int, _ bool) int {
		if found(n) {
			return 0
		}
		return -1
	})
	return candidates[i], failed
}

// finite returns nil for a number that does not exist.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
