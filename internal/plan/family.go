package plan

import "fmt"

// Family returns the number of primary comparisons, which Holm's adjustment
// divides the significance level by: every primary metric, each variant
// against the base. The A/A twin is not among them.
func (p Plan) Family() int {
	return len(p.Analysis.Primary) * p.claimants()
}

// claimants counts the variants that are compared with the base.
func (p Plan) claimants() int {
	n := len(p.Variants) - 1
	if p.Analysis.AA != nil {
		n--
	}
	return max(0, n)
}

// IsTwin tells whether a variant is the A/A twin of another.
func (p Plan) IsTwin(variant string) bool {
	return p.Analysis.AA != nil && p.Analysis.AA.Name == variant
}

// LeastBlocks returns the least number of blocks with which a family of
// comparisons can reach any verdict. The smallest p of a one-sided signed-rank
// test of n pairs is 2⁻ⁿ, and the first step of Holm's adjustment asks for at
// most 0.025 divided by the size of the family: 2ⁿ ≥ 40 · family. A family
// below one is taken as one.
func LeastBlocks(family int) int {
	return leastBlocks(40, family)
}

// leastBlocks is the least n with 2ⁿ ≥ oneIn · family.
func leastBlocks(oneIn, family int) int {
	n := 0
	for 1<<n < oneIn*max(1, family) {
		n++
	}
	return n
}

// LeastBlocks returns the least number of blocks with which the plan can reach
// any verdict. Several looks have a stricter level, 0.02 (stats.AdaptiveAlpha),
// which asks for 2ⁿ ≥ 50 · family.
func (p Plan) LeastBlocks() int {
	if p.Stop != nil && len(p.Stop.Looks) > 1 {
		return leastBlocks(50, p.Family())
	}
	return LeastBlocks(p.Family())
}

// Undecidable says why no comparison of the plan can reach a verdict, however
// large the differences: there are too few blocks. It is empty when one can,
// and when there is nothing to compare.
func (p Plan) Undecidable() string {
	if p.Family() == 0 || len(p.Blocks) >= p.LeastBlocks() {
		return ""
	}
	return fmt.Sprintf("%s cannot reach any verdict: %s", count(len(p.Blocks), "block"), p.need())
}

// need says how many blocks a verdict takes, and why.
func (p Plan) need() string {
	return fmt.Sprintf("%s are the least for %s (%s, %s against %s)", count(p.LeastBlocks(), "block"), count(p.Family(), "comparison"),
		count(len(p.Analysis.Primary), "primary metric"), count(p.claimants(), "variant"), p.Analysis.Base)
}

// Warnings says, in a sentence each, why the plan may not be worth running. It
// is empty for a sound plan.
func Warnings(p Plan) []string {
	const remedy = "; add blocks, or name fewer metrics in analysis.primary"
	if p.Family() == 0 {
		return []string{"there is nothing to compare: a verdict needs at least two variants"}
	}
	if text := p.Undecidable(); text != "" {
		return []string{text + remedy}
	}
	if p.Stop != nil && len(p.Stop.Looks) > 0 && p.Stop.Looks[0] < p.LeastBlocks() {
		return []string{fmt.Sprintf("should it stop after %s, no verdict can be reached: %s; look later, or name fewer metrics in analysis.primary",
			count(p.Stop.Looks[0], "block"), p.need())}
	}
	return nil
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
