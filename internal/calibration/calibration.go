package calibration

import (
	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// SchemaVersion names the layout of a Calibration written as JSON.
const SchemaVersion = "cnibench.io/calibration/v1"

// Calibration is everything that an A/A campaign says. No number in it is
// infinite or NaN.
type Calibration struct {
	Schema string `json:"schema"`
	Name   string `json:"name"` // of the campaign
	Plan   string `json:"plan"` // its hash
	// Variant describes what was measured under the two names of Twins.
	Variant  string    `json:"variant"`
	Twins    [2]string `json:"twins"`
	Topology string    `json:"topology,omitempty"` // "lab", "cluster" or empty
	Scope    Scope     `json:"scope"`
	Blocks   int       `json:"blocks"` // planned
	// Family is the number of primary comparisons of the campaign.
	Family int `json:"family"`
	// Metrics are those that reports do not fold, the cells in the plan's order.
	Metrics  []Metric         `json:"metrics"`
	Costs    Costs            `json:"costs"`
	Schedule *Schedule        `json:"schedule,omitempty"` // nil without a budget
	Warnings []result.Warning `json:"warnings"`
}

// Scope says what of a variant's life is in the noise.
type Scope string

// The scopes.
const (
	NewClusters     Scope = "new-clusters"     // every block had clusters of its own
	OneInstallation Scope = "one-installation" // one installation of each twin
	OneCluster      Scope = "one-cluster"      // both twins on the one cluster that there is
)

// Metric is what the twins say about one metric of one cell.
type Metric struct {
	Cell string `json:"cell"`
	result.Metric
	Primary bool `json:"primary"` // the campaign declared it
	// Pairs counts the blocks in which both twins have a value.
	Pairs int `json:"pairs"`
	// Effect is the estimated difference of the twins, P its two-sided p-value
	// against 0, Verdict what a report says about it; all should say that there
	// is none.
	Effect  *analysis.Effect `json:"effect,omitempty"`
	P       *float64         `json:"p,omitempty"`
	Verdict stats.Verdict    `json:"verdict,omitempty"`
	Noise   *Noise           `json:"noise,omitempty"`
	Alarms  *Alarms          `json:"alarms,omitempty"`
	// Smallest says for some numbers of blocks which effects they find.
	Smallest []Smallest `json:"smallest,omitempty"`
	// Needed is nil when no effect was asked for, and of metrics that are not
	// primary.
	Needed *Needed `json:"needed,omitempty"`
	// Absent says why there is no noise, or none to plan with.
	Absent string `json:"absent,omitempty"`
}

// Noise is how far the paired differences scatter, on their scale.
type Noise struct {
	SD float64 `json:"sd"`
	// Interval is that of the standard deviation, for normal noise; nil when
	// there is none.
	Interval *analysis.Interval `json:"interval,omitempty"`
	// Robust estimates the same from the median absolute deviation.
	Robust float64 `json:"robust"`
}

// Alarms are the false alarms among comparisons of disjoint groups of blocks:
// those whose two-sided p against 0 is at most AlarmLevel.
type Alarms struct {
	GroupBlocks int `json:"groupBlocks"` // pairs of a comparison
	Groups      int `json:"groups"`
	Alarms      int `json:"alarms"`
	// Claimed counts the groups that are better or worse by more than the
	// margin, each by itself.
	Claimed int `json:"claimed"`
	// Expected is the share of alarms that is fair, as p-values have steps.
	Expected float64 `json:"expected"`
	// Rate is nil when there are fewer than RateGroups groups, which Absent
	// then says. Uniformity is the p-value of "the p-values are uniform on their
	// grid", nil as well when it cannot be had.
	Rate       *Rate    `json:"rate,omitempty"`
	Uniformity *float64 `json:"uniformity,omitempty"`
	Absent     string   `json:"absent,omitempty"`
}

// Rate is a share with its exact 95 % interval (Clopper and Pearson).
type Rate struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Smallest are the smallest true effects, for the better or for the worse,
// that one comparison by itself of so many blocks shows to exceed the margin.
type Smallest struct {
	Blocks int     `json:"blocks"`
	At80   float64 `json:"at80"` // found in 80 % of campaigns
	At95   float64 `json:"at95"` // in 95 %
	// Cautious is At80 with the noise at the upper end of its interval; nil when
	// there is no such end.
	Cautious *float64 `json:"cautious,omitempty"`
}

// Needed says how many blocks a given effect takes, in one comparison by
// itself.
type Needed struct {
	Effect float64 `json:"effect"` // as a fraction
	// Equivalent: the effect lies within the margin, and can only be shown to
	// do so.
	Equivalent bool `json:"equivalent"`
	// At80 and At95 are the blocks with which it is shown in so many of 100
	// campaigns; 0 when more than MostBlocks would be needed.
	At80   int    `json:"at80,omitempty"`
	At95   int    `json:"at95,omitempty"`
	Absent string `json:"absent,omitempty"`
}

// Limits of what is claimed and planned.
const (
	AlarmLevel = 0.05 // of the two-sided p of a false alarm
	// RateGroups is the least number of comparisons of which a rate of false
	// alarms is said: of fewer, even without a single alarm, the interval
	// reaches beyond a sixth.
	RateGroups = 20
	// MostBlocks is the largest number of blocks that is planned for.
	MostBlocks = 100
)

// powers are those that effects are given for.
const (
	usualPower = 0.80
	highPower  = 0.95
)
