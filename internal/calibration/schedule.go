package calibration

import (
	"fmt"
	"math"
	"time"

	"github.com/cnibench/cnibench/internal/stats"
)

// Schedule says what campaigns of the same scenarios, clusters and primary
// metrics fit into a budget of time.
type Schedule struct {
	Budget  float64  `json:"budget"`  // seconds
	Primary []string `json:"primary"` // CELL/METRIC, those with noise
	Options []Option `json:"options"`
	// Repeats says how many trials on one cluster pay, for assumed shares of
	// the variance that come from cluster to cluster; empty where clusters are
	// not made or nobody knows what one costs.
	Repeats []Repeat `json:"repeats,omitempty"`
	// Assumed lists what the schedule takes for granted.
	Assumed []string `json:"assumed"`
	// Absent says why there is nothing to plan with.
	Absent string `json:"absent,omitempty"`
}

// Option is one campaign that fits; or none does, as Absent says.
type Option struct {
	Variants int `json:"variants"`
	// Longer is by how much the measured part of every trial is longer than the
	// calibration's: 2 is twice.
	Longer int `json:"longer"`
	// Blocks is how many fit, at most MostBlocks, and Seconds the time that they
	// take.
	Blocks  int     `json:"blocks,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	Family  int     `json:"family"` // primary comparisons
	// Smallest are the effects that 80 % of such campaigns find, in the order of
	// Schedule.Primary; none when Absent says why.
	Smallest []Range `json:"smallest,omitempty"`
	Absent   string  `json:"absent,omitempty"`
}

// Range is from the effect that is found if noise falls with the root of the
// trial's length to the one if it does not fall at all.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Repeat is how many trials on each cluster are worth their time, if ClusterShare
// of a trial's variance comes with its cluster.
type Repeat struct {
	ClusterShare float64 `json:"clusterShare"`
	Trials       int     `json:"trials"`
}

// What is tried where nobody chose.
var (
	usualVariants = []int{2, 3, 5, 10}
	lengths       = []int{1, 2, 5, 10, 30}
	clusterShares = []float64{0.1, 0.5, 0.9}
)

func scheduleOf(c Calibration, o Options, p *planner) (*Schedule, error) {
	s := &Schedule{Budget: o.Budget.Seconds(), Primary: []string{}, Options: []Option{}, Assumed: c.assumptions()}
	var primary []Metric
	declared := 0
	for _, m := range c.Metrics {
		if m.Primary {
			declared++
		}
		if m.Primary && m.Absent == "" {
			primary, s.Primary = append(primary, m), append(s.Primary, m.Cell+"/"+m.Name)
		}
	}
	if s.Absent = c.unplannable(len(primary)); s.Absent != "" {
		return s, nil
	}
	s.Repeats = c.Costs.repeats(c.Scope)
	variants := o.Variants
	if len(variants) == 0 {
		variants = usualVariants
	}
	for _, v := range variants {
		options, err := c.optionsFor(v, declared*(v-1), s.Budget, primary, p)
		if err != nil {
			return nil, err
		}
		s.Options = append(s.Options, options...)
	}
	return s, nil
}

// unplannable says why no schedule can be made.
func (c Calibration) unplannable(primary int) string {
	switch {
	case primary == 0:
		return "no primary metric has noise to plan with"
	case len(c.Costs.Trials) == 0 || c.Costs.perTurn(1) <= 0:
		return "the journal does not say what a trial takes"
	case c.Scope == NewClusters && c.Costs.Cluster == nil:
		return "the journal does not say what a cluster takes"
	}
	return ""
}

// optionsFor lists the campaigns of so many variants, or the reason why none
// fits. Of those that would fill the budget with more than MostBlocks only the
// one with the longest trials is worth a line.
func (c Calibration) optionsFor(variants, family int, budget float64, primary []Metric, p *planner) ([]Option, error) {
	least, err := stats.MinBlocks(stats.VerdictAlpha, family)
	if err != nil {
		return nil, err
	}
	var list []Option
	for _, longer := range lengths {
		o := Option{Variants: variants, Longer: longer, Family: family}
		fixed, block := c.campaignCost(variants, longer)
		fit := int(min(math.Max(0, (budget-fixed)/block), MostBlocks))
		if fit < least {
			if len(list) == 0 {
				o.Absent = fmt.Sprintf("a family of %d takes %d blocks for any verdict, which last %s; %d fit",
					family, least, time.Duration((fixed+float64(least)*block)*float64(time.Second)).Round(time.Second), fit)
				list = append(list, o)
			}
			break
		}
		if fit == MostBlocks {
			list = list[:0]
		}
		o.Blocks, o.Seconds = fit, fixed+float64(fit)*block
		list = append(list, o)
	}
	for i := range list {
		if err := list[i].find(primary, p); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// find says which effects a campaign that fits is likely to find.
func (o *Option) find(primary []Metric, p *planner) error {
	if o.Absent != "" {
		return nil
	}
	for _, m := range primary {
		r, err := m.rangeOf(*o, p)
		if err != nil {
			return err
		}
		o.Smallest = append(o.Smallest, r)
	}
	return nil
}

// rangeOf is the smallest effect of one metric in a campaign.
func (m Metric) rangeOf(o Option, p *planner) (r Range, err error) {
	d := design{o.Blocks, o.Family, usualPower}
	if r.High, err = p.effect(m, d, m.Noise.SD); err != nil {
		return r, err
	}
	if r.Low, err = p.effect(m, d, m.Noise.SD/math.Sqrt(float64(o.Longer))); err != nil {
		return r, err
	}
	if finite(r.High) == nil || finite(r.Low) == nil {
		return r, fmt.Errorf("the effect that %d blocks find in %s is not a number", o.Blocks, m.Name)
	}
	return r, nil
}

// campaignCost is what a campaign takes before its first block, and for every
// block, in seconds.
func (c Calibration) campaignCost(variants, longer int) (fixed, block float64) {
	turn := c.Costs.perTurn(longer)
	if c.Scope == NewClusters {
		return 0, float64(variants) * (turn + c.Costs.Cluster.Seconds)
	}
	if c.Costs.Turn != nil {
		turn += c.Costs.Turn.Seconds
	}
	if c.Costs.Cluster != nil {
		fixed = float64(variants) * c.Costs.Cluster.Seconds
	}
	return fixed, float64(variants) * turn
}

// repeats is the number of repetitions of the lower level of Kalibera and Jones
// (Rigorous benchmarking in reasonable time, ISMM 2013), at least 1:
// √(c₂/c₁ · T₁²/T₂²), with c₁ the time of the trials on a cluster, c₂ that of
// the cluster, and T² the parts of the variance.
func (c Costs) repeats(scope Scope) []Repeat {
	trials := c.perTurn(1)
	if scope == OneCluster || c.Cluster == nil || trials <= 0 {
		return nil
	}
	var list []Repeat
	for _, share := range clusterShares {
		r := math.Ceil(math.Sqrt(c.Cluster.Seconds / trials * (1 - share) / share))
		list = append(list, Repeat{share, int(min(max(1, r), 1e6))})
	}
	return list
}

// assumptions are those of a schedule.
func (c Calibration) assumptions() []string {
	list := []string{
		"trials, turns and clusters take what they took here (medians); nothing is repeated or fails",
		"the noise is that of this calibration, normal, and the same for every variant",
		"as many primary metrics as here, every variant against one base, all decided as one family",
		"of longer trials nobody knows the noise before it is calibrated with that --duration: the range is from noise that falls with the root of the length to noise that does not fall",
	}
	switch c.Scope {
	case OneInstallation:
		list = append(list, "one installation of each variant, as here; with freshCluster: true every turn takes a cluster more, and noise has what differs between clusters")
	case OneCluster:
		list = append(list, "the one cluster, as here")
	case NewClusters:
		list = append(list, "a new cluster for every variant in every block, as here")
	}
	return list
}
