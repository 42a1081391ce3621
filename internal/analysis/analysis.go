package analysis

import (
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// SchemaVersion names the layout of an Analysis written as JSON.
const SchemaVersion = "cnibench.io/analysis/v1"

// Confidence is that of every printed interval.
const Confidence = 0.95

// Analysis is everything that a campaign's results say. No number in it is
// infinite or NaN: what could not be computed is absent.
type Analysis struct {
	Schema string `json:"schema"`
	// Plan is what was to be measured; its order is that of all lists here.
	Plan plan.Plan `json:"plan"`
	// Topology is that of the environment: "lab", "cluster" or empty.
	Topology string `json:"topology,omitempty"`
	// Variants says what was compared, in the plan's order.
	Variants []Variant `json:"variants"`
	// Family is the number of primary comparisons that Holm adjusts for,
	// measured or not.
	Family int `json:"family"`
	// Stopped says where a campaign with a rule for stopping ended; nil when it
	// has none or went on.
	Stopped *Stopped `json:"stopped,omitempty"`
	// Counts are those of the whole campaign; blocks after it stopped were not
	// needed and do not count.
	Counts Counts `json:"counts"`
	Cells  []Cell `json:"cells"`
	// Dropped lists every attempt that gave no result, replaced ones included.
	Dropped []Dropped `json:"dropped"`
	// Missing lists the planned trials without any attempt.
	Missing  []Missing        `json:"missing"`
	Warnings []result.Warning `json:"warnings"`
}

// Cell is one scenario with fixed parameters.
type Cell struct {
	plan.Cell
	Outcomes []Outcome `json:"outcomes"` // one per variant
	// Metrics has the cell's main metric first.
	Metrics []Metric `json:"metrics"`
	// Gaps are values that ok trials lack, with the reason.
	Gaps []Gap `json:"gaps,omitempty"`
}

// Outcome counts what became of one variant's trials in one cell.
type Outcome struct {
	Variant string `json:"variant"`
	Counts
}

// Counts says what became of planned trials; the last attempt decides.
type Counts struct {
	Planned     int `json:"planned"`
	OK          int `json:"ok"`
	Failed      int `json:"failed"`
	Invalid     int `json:"invalid"`
	Unsupported int `json:"unsupported"`
	Missing     int `json:"missing"`
}

// Dropped is an attempt without a result.
type Dropped struct {
	Block   int           `json:"block"`
	Variant string        `json:"variant"`
	Cell    string        `json:"cell"`
	Attempt int           `json:"attempt"`
	Status  result.Status `json:"status"`
	Reason  string        `json:"reason"`
	// Replaced says that a later attempt decides.
	Replaced bool `json:"replaced"`
	// Voids is the attempt that this one takes back, with all of its block; 0:
	// none.
	Voids int `json:"voids,omitempty"`
}

// Missing is a planned trial that nobody attempted.
type Missing struct {
	Block   int    `json:"block"`
	Variant string `json:"variant"`
	Cell    string `json:"cell"`
}

// Metric is a metric in one cell. Margin is the one that verdicts use: the
// plan's, or else the metric's own.
type Metric struct {
	result.Metric
	Main    bool `json:"main"`    // the cell's first metric
	Primary bool `json:"primary"` // the plan declared it
	// Once says that it is a property of an installation, and that every variant
	// was installed once: see Allowance.
	Once        bool         `json:"once,omitempty"`
	Arms        []Arm        `json:"arms"` // one per variant
	Comparisons []Comparison `json:"comparisons"`
	// AA compares the A/A twin with the variant that it repeats: what noise
	// alone does. It is exploratory; nil without a twin.
	AA *Comparison `json:"aa,omitempty"`
}

// Folded says that the metric is a detail that reports show with the others of
// its group, without comparing variants.
func (m Metric) Folded() bool { return m.Group != "" && !m.Main && !m.Primary }

// Arm holds what one variant reached, in the metric's unit.
type Arm struct {
	Variant string   `json:"variant"`
	Samples []Sample `json:"samples"` // by block
	// Absent counts ok trials that do not have the metric.
	Absent int `json:"absent"`
	// Summary is nil without samples.
	Summary *Summary `json:"summary"`
	// Partial lists what values of this arm leave out.
	Partial []string `json:"partial,omitempty"`
}

// Sample is the value of one block.
type Sample struct {
	Block    int      `json:"block"`
	Position int      `json:"position"` // of the variant in its block
	Attempt  int      `json:"attempt"`
	Value    float64  `json:"value"`
	Outlier  bool     `json:"outlier"` // marked, and kept
	Marks    []string `json:"marks,omitempty"`
	// Partial says in what way the value is not the whole of it, such as a
	// search that ended early; empty: it is.
	Partial string `json:"partial,omitempty"`
}

// Summary describes an arm's samples.
type Summary struct {
	N      int     `json:"n"`
	Median float64 `json:"median"`
	// Interval is the order-statistic interval of the median, nil when there
	// are too few samples for one.
	Interval *Interval `json:"interval"`
	Mean     float64   `json:"mean"`
	SD       *float64  `json:"sd"` // nil for a single sample
	Min      float64   `json:"min"`
	Max      float64   `json:"max"`
}

// Interval is a two-sided confidence interval. Coverage is what it attains,
// Confidence what was asked for.
type Interval struct {
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	Coverage   float64 `json:"coverage"`
}

// Comparison says how B differs from A. A is the base wherever the base takes
// part, otherwise the variant that the plan names first.
type Comparison struct {
	A           string `json:"a"`
	B           string `json:"b"`
	AgainstBase bool   `json:"againstBase"`
	// Primary comparisons are adjusted for being one family; the others are
	// exploratory and not adjusted.
	Primary bool   `json:"primary"`
	Pairs   []Pair `json:"pairs"`
	// Unpaired is set, and Pairs empty, where the values of a block are no
	// pairs, as in imported results: two independent samples were compared.
	Unpaired *Unpaired `json:"unpaired,omitempty"`
	Effect   *Effect   `json:"effect"` // nil without pairs, or without values of both
	// Band is where an effect is too small to matter, on the scale of Effect.
	Band    Band          `json:"band"`
	Verdict stats.Verdict `json:"verdict"` // about B
	// P holds the one-sided p-values, Adjusted those after Holm; nil for an
	// exploratory comparison.
	P        *Claims `json:"p"`
	Adjusted *Claims `json:"adjusted"`
	// Ceiling says that both filled the line between the nodes in more than half
	// of their blocks: CPU tells them apart, and not the rate.
	Ceiling bool `json:"ceiling,omitempty"`
	// Allowance is what the installations of both may differ by, in the metric's
	// unit, where each is of one: a verdict holds in spite of it, which more
	// blocks do not narrow. 0: blocks sample installations, or it does not matter.
	Allowance float64 `json:"allowance,omitempty"`
	// Further is the number of further blocks likely to settle an inconclusive
	// comparison. When it is 0, Open says why an inconclusive one has none.
	Further int    `json:"further,omitempty"`
	Open    string `json:"open,omitempty"`
}

// Unpaired counts the values of an unpaired comparison.
type Unpaired struct {
	A int `json:"a"`
	B int `json:"b"`
	// SmallestP is the smallest one-sided p-value that so many can attain.
	SmallestP float64 `json:"smallestP"`
}

// Pair holds both values of one block and their difference, ln(B/A) on the
// ratio scale and B − A otherwise.
type Pair struct {
	Block      int     `json:"block"`
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
}

// Effect is the Hodges–Lehmann estimate of B's change against A: a fraction on
// the ratio scale (−0.21 is 21 % less), an amount in the metric's unit on the
// difference scale. Its sign is that of the change, whether or not more is
// better.
type Effect struct {
	Estimate float64 `json:"estimate"`
	// Interval is the exact signed-rank interval, not adjusted for the number
	// of comparisons; nil when there are too few pairs for one.
	Interval *Interval `json:"interval"`
	// Spread is the robust standard deviation of the pairs' differences; nil
	// for a single pair.
	Spread *float64 `json:"spread"`
}

// Band is the range of effects within the margin. On the ratio scale it is
// symmetric in logarithms: −m/(1+m) to m.
type Band struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Claims holds the one-sided p-values of the three claims about B.
type Claims struct {
	Better     float64 `json:"better"`
	Worse      float64 `json:"worse"`
	Equivalent float64 `json:"equivalent"`
}
