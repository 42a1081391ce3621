package analysis

import (
	"slices"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// ComparedSchema names the layout of a Compared written as JSON.
const ComparedSchema = "cnibench.io/compare/v1"

// Compared is a set of comparisons, within one campaign or between two. No
// number in it is infinite or NaN: what could not be computed is absent.
type Compared struct {
	Schema string `json:"schema"`
	// Campaigns is what was compared: one, or the earlier argument and the
	// later.
	Campaigns []ComparedCampaign `json:"campaigns"`
	// Paired says that values were compared within blocks; between campaigns
	// they are independent.
	Paired bool `json:"paired"`
	// Base is what the others are compared with, empty between campaigns.
	// PlannedBase is the base that the campaign declared.
	Base        string `json:"base,omitempty"`
	PlannedBase string `json:"plannedBase,omitempty"`
	AllPairs    bool   `json:"allPairs"`
	// Exploratory says why nothing here was declared beforehand, although the
	// campaign declared something; empty: what it declared primary is.
	Exploratory string `json:"exploratory,omitempty"`
	// Family is the number of primary comparisons that Holm adjusts for,
	// measured or not, and shown or not.
	Family int            `json:"family"`
	Cells  []ComparedCell `json:"cells"`
	// Differences is what was not the same for both sides of a comparison.
	Differences []EnvironmentDifference `json:"differences"`
	// Omitted is what was not compared, with the reason.
	Omitted  []Omission       `json:"omitted"`
	Warnings []result.Warning `json:"warnings"`
}

// ComparedCampaign says which campaign took part.
type ComparedCampaign struct {
	Name     string    `json:"name"`
	Plan     string    `json:"plan"` // the plan's hash
	Blocks   int       `json:"blocks"`
	Topology string    `json:"topology,omitempty"`
	Variants []Variant `json:"variants"`
	Counts   Counts    `json:"counts"`
}

// ComparedCell is a cell with what was compared in it, its main metric first.
type ComparedCell struct {
	ID          string           `json:"id"`
	Scenario    string           `json:"scenario"`
	Description string           `json:"description,omitempty"` // of the parameters
	Metrics     []ComparedMetric `json:"metrics"`
	// Others names metrics that Brief left out.
	Others []string `json:"-"`
}

// ComparedMetric is a metric in one cell with the margin that verdicts use.
type ComparedMetric struct {
	result.Metric
	Main    bool            `json:"main"`
	Primary bool            `json:"primary"`
	Arms    []ComparedArm   `json:"arms"`
	Rows    []ComparedRow   `json:"comparisons"`
	Groups  *ComparedGroups `json:"groups,omitempty"` // within a campaign
	// AA compares the campaign's A/A twin with the variant that it repeats: what
	// noise alone does. Nil without a twin, and between campaigns.
	AA *ComparedRow `json:"aa,omitempty"`
	// Named says that Select was asked for it.
	Named bool `json:"-"`
}

// Folded is that of Metric, but for metrics that were asked for by name.
func (m ComparedMetric) Folded() bool { return m.Group != "" && !m.Main && !m.Primary && !m.Named }

// Arm returns the arm of a variant; campaign is the index in
// Compared.Campaigns.
func (m ComparedMetric) Arm(campaign int, variant string) (ComparedArm, bool) {
	i := slices.IndexFunc(m.Arms, func(a ComparedArm) bool { return a.Campaign == campaign && a.Variant == variant })
	if i < 0 {
		return ComparedArm{}, false
	}
	return m.Arms[i], true
}

// ComparedArm is what one variant of one campaign reached, in the metric's
// unit.
type ComparedArm struct {
	Campaign int      `json:"campaign"` // its index in Compared.Campaigns
	Variant  string   `json:"variant"`
	Summary  *Summary `json:"summary"` // nil without values
	// Lost counts planned trials without a result, Absent ok trials without
	// this metric.
	Lost   int `json:"lost"`
	Absent int `json:"absent"`
	// Marks counts the samples with each mark, by its name: cpu-saturated,
	// generator-limited and so on.
	Marks   []MarkCount `json:"marks,omitempty"`
	Partial []string    `json:"partial,omitempty"`
	// Letters are those of the groups that the variant belongs to.
	Letters string `json:"letters,omitempty"`
}

// MarkCount says how many samples carry a mark.
type MarkCount struct {
	Name    string `json:"name"`
	Samples int    `json:"samples"`
}

// ComparedRow says how B differs from A.
type ComparedRow struct {
	A string `json:"a"`
	B string `json:"b"`
	// Primary comparisons are adjusted for being one family; the others are
	// exploratory and not adjusted.
	Primary bool `json:"primary"`
	// NA and NB count the values of each side that were compared; they are
	// equal where values are paired.
	NA int `json:"na"`
	NB int `json:"nb"`
	// Lacking are the planned blocks that only one side has; paired only.
	Lacking []Lack  `json:"lacking,omitempty"`
	Effect  *Effect `json:"effect"` // nil when a side has no values
	Band    Band    `json:"band"`
	// Verdict is about B, at the margin Band.
	Verdict  stats.Verdict `json:"verdict"`
	P        *Claims       `json:"p"`
	Adjusted *Claims       `json:"adjusted"`
	Further  int           `json:"further,omitempty"`
	Open     string        `json:"open,omitempty"`
	// Allowance is what the installations of both may differ by: as in Comparison.
	Allowance float64 `json:"allowance,omitempty"`
	// Unpaired is what other tests say of independent values.
	Unpaired *SecondOpinion `json:"unpaired,omitempty"`
	// Environment names the differences of environment between both sides.
	Environment []string `json:"environment,omitempty"`
}

// Lack is a block that cannot take part in a pair.
type Lack struct {
	Block   int    `json:"block"`
	Variant string `json:"variant"` // the side without a value
	Reason  string `json:"reason"`
}

// SecondOpinion holds two tests of "B is as A" for independent values that
// readers know, on the logarithms for ratios: Mann–Whitney and Welch.
type SecondOpinion struct {
	U     float64 `json:"u"`
	Delta float64 `json:"cliffsDelta"`
	RankP float64 `json:"rankP"` // two-sided
	// Mean is the change of the means, of the geometric ones for ratios, as
	// Effect.Estimate. It and WelchP are nil where Welch's test is impossible.
	Mean     *float64  `json:"mean,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
	WelchP   *float64  `json:"welchP,omitempty"` // two-sided
	Absent   string    `json:"absent,omitempty"`
}

// ComparedGroups are the sets of variants of which no two were shown to differ
// by more than the margin, adjusted by Holm for all pairs of the metric.
type ComparedGroups struct {
	// Members are the variants with values, the best median first.
	Members []string   `json:"members"`
	Groups  [][]string `json:"groups,omitempty"`
	Absent  string     `json:"absent,omitempty"` // why there are none
}

// Omission is something that is not compared. Empty fields mean all.
type Omission struct {
	Cell    string `json:"cell,omitempty"`
	Metric  string `json:"metric,omitempty"`
	Variant string `json:"variant,omitempty"`
	Reason  string `json:"reason"`
}

// CompareOptions choose what is compared.
type CompareOptions struct {
	// Base is the variant to compare with; empty: the plan's.
	Base     string
	AllPairs bool
	// Margins replace declared ones, by metric; in the metric's unit, fractions
	// on the ratio scale.
	Margins map[string]float64
	// Map names the variant of the second campaign that a variant of the first
	// is compared with, where it is not the one of the same name.
	Map map[string]string
}
