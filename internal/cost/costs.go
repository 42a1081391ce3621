package cost

import (
	"github.com/cnibench/cnibench/internal/analysis"
)

// SchemaVersion names the layout of Costs written as JSON.
const SchemaVersion = "cnibench.io/cost/v1"

// Costs is what variants cost a month in one cluster. No number in it is
// infinite or NaN: what could not be computed is absent.
type Costs struct {
	Schema string `json:"schema"`
	// Source names the campaign, or the file of figures that were read as they
	// are: such figures have no blocks, and nothing about them is tested.
	Source  string `json:"source"`
	Figures bool   `json:"figures,omitempty"`
	// Unpaired says that the campaign's runs are no blocks.
	Unpaired bool   `json:"unpaired,omitempty"`
	Prices   Prices `json:"prices"`
	// Baseline is the variant that overheads are counted from: host-network
	// pods, no plugin in the path. It is empty where there is none.
	Baseline string `json:"baseline,omitempty"`
	// Inputs say which measurement each term of the sum is made from.
	Inputs   []Input   `json:"inputs,omitempty"`
	Variants []Variant `json:"variants"`
	// Against is what savings are counted from; empty: there is nothing to
	// compare.
	Against    string      `json:"against,omitempty"`
	Savings    []Saving    `json:"savings"`
	BreakEvens []BreakEven `json:"breakEvens"`
	Notes      []string    `json:"notes,omitempty"`
}

// Input is a measurement that is priced.
type Input struct {
	Term   string `json:"term"`
	Cell   string `json:"cell,omitempty"`
	Metric string `json:"metric,omitempty"`
	// How says how the metric is turned into what is priced.
	How     string `json:"how,omitempty"`
	Missing string `json:"missing,omitempty"` // why there is none
}

// Estimate is a value over blocks: the Hodges–Lehmann estimate and the exact
// signed-rank interval, which is not adjusted for the number of variants.
type Estimate struct {
	Value float64 `json:"value"`
	// Interval is nil where there are too few blocks for one, or none at all.
	Interval *analysis.Interval `json:"interval,omitempty"`
	// N counts the blocks; 0: nothing in it was measured.
	N int `json:"n"`
}

// Variant is what one variant costs.
type Variant struct {
	Name     string `json:"name"`
	Baseline bool   `json:"baseline,omitempty"`
	// Twin says that it repeats another variant, to see what noise does.
	Twin  bool   `json:"twin,omitempty"`
	Nodes int    `json:"nodes"`
	Terms []Term `json:"terms"`
	// Total is the sum of the terms that are there, and Without names the
	// others.
	Total   *Estimate `json:"total,omitempty"`
	Without []string  `json:"without,omitempty"`
	Missing string    `json:"missing,omitempty"` // why there is no total
	// Overhead is CPU and memory as a share of the price of the nodes.
	Overhead Figure `json:"overhead"`
	// PerGbit is the sum per Gbit/s that the cluster can carry, PerMillion per
	// million requests.
	PerGbit    Figure `json:"perGbitPerSecond"`
	PerMillion Figure `json:"perMillionRequests"`
	// Carbon is the CO₂ of the energy term, in kg a month; nil where the prices
	// have none.
	Carbon *Figure `json:"kgCO2,omitempty"`
	// Blocks has the sum of every block that has all measured terms.
	Blocks []Block `json:"blocks,omitempty"`

	lines  []blockLine
	level  Line // of what is the same in every block
	margin Line // of what matters
}

// Figure is an estimate, or the reason why there is none.
type Figure struct {
	Estimate *Estimate `json:"estimate,omitempty"`
	Missing  string    `json:"missing,omitempty"`
}

// Block is the sum of one block.
type Block struct {
	Block int     `json:"block"`
	Total float64 `json:"total"`
}

// Term is a part of the sum.
type Term struct {
	Name string `json:"name"`
	// Quantity is what was measured; nil where nothing was.
	Quantity *Quantity `json:"quantity,omitempty"`
	Amount   *Estimate `json:"amount,omitempty"`
	// Expression is the product with its units, at the estimate of the
	// quantity.
	Expression string `json:"expression,omitempty"`
	Missing    string `json:"missing,omitempty"`
}

// Quantity is what was measured, in a unit.
type Quantity struct {
	Unit     string    `json:"unit"`
	Estimate *Estimate `json:"estimate"`
}

// SavingVerdict says what is known of a saving.
type SavingVerdict string

// What can be known of a saving.
const (
	Saves       SavingVerdict = "saves"
	CostsMore   SavingVerdict = "costs more"
	Equivalent  SavingVerdict = "equivalent"   // no more than the margin apart
	NotShown    SavingVerdict = "not shown"    // the noise may be all of it
	Untested    SavingVerdict = "untested"     // there is nothing to test it with
	NotCompared SavingVerdict = "not compared" // the sums are not of the same terms
)

// Saving is what a variant costs less than another, block by block.
type Saving struct {
	Against string `json:"against"`
	Variant string `json:"variant"`
	// Estimate is positive where Variant costs less.
	Estimate *Estimate     `json:"estimate,omitempty"`
	Verdict  SavingVerdict `json:"verdict"`
	// Margin is what the margins of the priced metrics come to: a saving has to
	// be shown to be more than that.
	Margin float64 `json:"margin"`
	// P is the one-sided p-value behind the verdict, after Holm over all savings
	// in the list, those that could not be tested among them.
	P      *float64 `json:"p,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// BreakEven says at which sizes of a cluster, or at which volumes of requests,
// which of two variants costs less.
type BreakEven struct {
	Against string `json:"against"`
	Variant string `json:"variant"`
	By      string `json:"by"` // nodes or requests
	// Crossing is where the estimates of both are equal; nil: nowhere in the
	// range, or more than once.
	Crossing *float64 `json:"crossing,omitempty"`
	// Small is the variant that is shown to cost less from the low end of the
	// range up to UpTo, Large the one that is from From to its high end; empty:
	// none is.
	Small string   `json:"small,omitempty"`
	UpTo  *float64 `json:"upTo,omitempty"`
	Large string   `json:"large,omitempty"`
	From  *float64 `json:"from,omitempty"`
	// Always says that the same variant is shown to cost less everywhere.
	Always bool   `json:"always,omitempty"`
	Answer string `json:"answer"` // in words
}
