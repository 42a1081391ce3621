package gate

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// SchemaVersion names the layout of a Result written as JSON.
const SchemaVersion = "cnibench.io/gate/v1"

// Request is what is to pass, and at what price.
type Request struct {
	Now analysis.Analysis
	// Baseline is another campaign; nil: variants are held against a base
	// variant of the same one.
	Baseline *analysis.Analysis
	// Differences are those of the environments of Now and Baseline.
	Differences []analysis.EnvironmentDifference
	// Allow names the differences that are no reason to refuse, with stars for
	// any text, or AllowAll.
	Allow []string
	// Base replaces the plan's base variant; empty: the plan's.
	Base string
	// Variants are those that have to pass; empty: all but the base.
	Variants []string
	// Metrics, as CELL/METRIC, replace the plan's primary ones.
	Metrics []string
	Margins []Margin
	Limits  []Limit
	// LimitsOnly leaves comparisons out: limits alone decide.
	LimitsOnly bool
}

// Difference is something that was not the same when the baseline was
// measured.
type Difference struct {
	Name     string `json:"name"` // what --allow takes
	Baseline string `json:"baseline"`
	Now      string `json:"now"`
	Where    string `json:"where"`
	Allowed  bool   `json:"allowed"`
}

// Unfit is the outcome of a gate that refuses to decide.
const Unfit stats.Outcome = "unfit"

// Result is what a gate says. No number in it is infinite or NaN.
type Result struct {
	Schema   string `json:"schema"`
	Campaign string `json:"campaign"`
	Plan     string `json:"plan"` // hash
	// Baseline and BaselinePlan are empty within one campaign, where Base is
	// what the variants are compared with.
	Baseline     string `json:"baseline,omitempty"`
	BaselinePlan string `json:"baselinePlan,omitempty"`
	Base         string `json:"base,omitempty"`
	// Unpaired says that the base's values are no pairs with the variants', as
	// in imported results.
	Unpaired bool `json:"unpaired,omitempty"`
	// Outcome is pass, regression, inconclusive or unfit.
	Outcome stats.Outcome `json:"outcome"`
	// Alpha is the one-sided level of every claim after Holm over all checks.
	Alpha  float64 `json:"alpha"`
	Checks []Check `json:"checks"`
	// Differences of the environments, allowed or not, and Unfit, why nothing
	// is decided; a gate that is fit has none of the latter.
	Differences []Difference     `json:"differences,omitempty"`
	Unfit       []string         `json:"unfit,omitempty"`
	Warnings    []result.Warning `json:"warnings,omitempty"`
}

// Check is one variant's metric in one cell and what was decided about it.
type Check struct {
	Variant string `json:"variant"`
	Cell    string `json:"cell"`
	Metric  string `json:"metric"`
	// Unit, Better and Scale are empty when nobody measured the metric.
	Unit   string        `json:"unit,omitempty"`
	Better result.Better `json:"better,omitempty"`
	Scale  result.Scale  `json:"scale,omitempty"`
	// Margin is a fraction on the ratio scale, else an amount in Unit; nil for
	// a limit, and when it is not known for want of a measurement.
	Margin *float64 `json:"margin,omitempty"`
	// Allowance is what the installations of both sides may differ by, in Unit,
	// where each is of one: it is added to the margin.
	Allowance float64  `json:"allowance,omitempty"`
	Bound     Bound    `json:"bound,omitempty"` // of a limit
	Limit     *float64 `json:"limit,omitempty"` // in Unit
	// LimitText is the limit as it was asked for.
	LimitText string `json:"limitText,omitempty"`
	// N counts pairs, or values; OtherN the values of the other side where the
	// two are independent samples.
	N      int `json:"n"`
	OtherN int `json:"otherN,omitempty"`
	// Median and its interval are of the variant's values.
	Median         *float64           `json:"median,omitempty"`
	MedianInterval *analysis.Interval `json:"medianInterval,omitempty"`
	// Effect is the change against base or baseline; nil for a limit.
	Effect   *analysis.Effect `json:"effect,omitempty"`
	Outcome  stats.Outcome    `json:"outcome"`
	P        *Claims          `json:"p,omitempty"`
	Adjusted *Claims          `json:"adjusted,omitempty"`
	// Further is the number of further blocks likely to decide an inconclusive
	// check (of independent samples, on both sides). Otherwise Reason says what
	// is missing.
	Further int    `json:"further,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Unforeseen says that what is missing are blocks, too many or nobody knows
	// how many.
	Unforeseen bool `json:"-"`
	// Notes are qualities of the values that a reader must know.
	Notes []string `json:"notes,omitempty"`
}

// Claims holds the one-sided p-values of a gate: of "worse by the margin or
// more", which a pass refutes, and of its opposite.
type Claims struct {
	NotWorse float64 `json:"notWorse"`
	Worse    float64 `json:"worse"`
}

// Problem is a request that makes no sense for these results.
type Problem struct{ Message, Hint string }

// Error is the message; the hint is said apart.
func (p *Problem) Error() string { return p.Message }

// problem makes a Problem that a terminal may show, whatever names it quotes.
func problem(hint, format string, args ...any) *Problem {
	return &Problem{prose.Printable(fmt.Sprintf(format, args...)), prose.Printable(hint)}
}

// Decide gives every check its outcome. It fails with a Problem when the
// request names what the results do not have or leaves nothing to decide.
func Decide(r Request) (Result, error) {
	res := Result{
		Schema: SchemaVersion, Campaign: r.Now.Plan.Name, Plan: r.Now.Plan.Hash, Alpha: level(r),
		Checks: []Check{}, Outcome: stats.Pass,
	}
	selected, err := r.choose()
	if err != nil {
		return Result{}, err
	}
	switch {
	case r.Baseline != nil:
		res.Baseline, res.BaselinePlan = r.Baseline.Plan.Name, r.Baseline.Plan.Hash
	case !r.LimitsOnly:
		res.Base, res.Unpaired = r.base(), r.Now.Plan.Unpaired()
	}
	for _, t := range selected {
		res.Checks = append(res.Checks, t.Check)
	}
	res.judgeFitness(r, selected)
	if len(res.Unfit) > 0 {
		res.Outcome = Unfit
		for i := range res.Checks {
			res.Checks[i].Outcome, res.Checks[i].Reason = stats.Undecided, "not decided: the environment is unfit"
		}
		return res, nil
	}
	res.Warnings = warnings(r)
	return res, res.decide(selected)
}

// level is the one-sided level that the family of checks shares: the stricter
// of the campaigns' own, which looks before the last block lower.
func level(r Request) float64 {
	alpha := analysis.Alpha(r.Now.Plan)
	if r.Baseline != nil {
		alpha = min(alpha, analysis.Alpha(r.Baseline.Plan))
	}
	return alpha
}

// decide tests every check and adjusts them as one family.
func (res *Result) decide(targets []target) error {
	family := make([]stats.GateClaims, len(targets))
	for i := range targets {
		family[i] = stats.NoGateClaims()
		claims, err := targets[i].test()
		if err != nil {
			return err
		}
		if claims != nil {
			family[i] = *claims
		}
	}
	decisions, err := stats.DecideGates(family, res.Alpha)
	if err != nil {
		return err
	}
	for i := range targets {
		t := &targets[i]
		if t.P != nil {
			adjusted := Claims(decisions[i].Adjusted)
			t.Adjusted = &adjusted
		}
		t.Outcome = decisions[i].Outcome
		t.block()
		if err := t.forecast(res.Alpha / float64(len(family))); err != nil {
			return err
		}
		res.Checks[i] = t.Check
		res.Outcome = worst(res.Outcome, t.Outcome)
	}
	return nil
}

// worst is what the whole says of two outcomes.
func worst(a, b stats.Outcome) stats.Outcome {
	for _, o := range []stats.Outcome{stats.Regression, stats.Undecided} {
		if a == o || b == o {
			return o
		}
	}
	return stats.Pass
}

// Count is the number of checks with an outcome.
func (res Result) Count(o stats.Outcome) int {
	n := 0
	for _, c := range res.Checks {
		if c.Outcome == o {
			n++
		}
	}
	return n
}
