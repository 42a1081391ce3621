package cost

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/stats"
)

// rivals are the variants that are compared with against: all others but the
// baseline, which is no plugin, and the twin, which claims nothing.
func rivals(variants []Variant, against string) []Variant {
	var list []Variant
	for _, v := range variants {
		if v.Name != against && !v.Baseline && !v.Twin {
			list = append(list, v)
		}
	}
	return list
}

// differences are the lines of a less those of b, in the blocks that both have.
// Loose values have no blocks in common, so that only their estimates differ.
func differences(a, b Variant, e estimator) ([]blockLine, error) {
	if e.loose {
		x, err := a.typical()
		if err != nil {
			return nil, err
		}
		y, err := b.typical()
		return []blockLine{{line: x.minus(y)}}, err
	}
	var list []blockLine
	for _, l := range a.linesBeside(b) {
		for _, m := range b.linesBeside(a) {
			if l.block == m.block {
				list = append(list, blockLine{l.block, l.line.minus(m.line), l.memory.minus(m.memory)})
			}
		}
	}
	return list, nil
}

// linesBeside are the lines of a variant or, where nothing of it was measured,
// what is the same in every block of another.
func (v Variant) linesBeside(other Variant) []blockLine {
	if !v.bare() {
		return v.lines
	}
	var list []blockLine
	for _, l := range other.lines {
		list = append(list, blockLine{block: l.block, line: v.level})
	}
	return list
}

// typical is the line of the estimates of its parts.
func (v Variant) typical() (Line, error) {
	if v.bare() {
		return v.level, nil
	}
	var fixed, perNode, perRequest []float64
	for _, b := range v.lines {
		fixed = append(fixed, b.line.Fixed)
		perNode = append(perNode, b.line.PerNode)
		perRequest = append(perRequest, b.line.PerRequest)
	}
	var typical Line
	for _, part := range []struct {
		into *float64
		xs   []float64
	}{{&typical.Fixed, fixed}, {&typical.PerNode, perNode}, {&typical.PerRequest, perRequest}} {
		x, err := stats.HodgesLehmann(part.xs)
		if err != nil {
			return typical, err
		}
		*part.into = x
	}
	return typical, nil
}

// larger is the larger margin of two variants.
func larger(a, b Variant) Line {
	return Line{
		Fixed: max(a.margin.Fixed, b.margin.Fixed), PerNode: max(a.margin.PerNode, b.margin.PerNode), PerRequest: max(a.margin.PerRequest, b.margin.PerRequest),
	}
}

// savings compares all with one of them, which has to be among the variants.
func savings(p Prices, variants []Variant, against Variant, e estimator) ([]Saving, error) {
	list := []Saving{}
	var family []stats.Claims // one for each saving
	for _, v := range rivals(variants, against.Name) {
		s := Saving{Against: against.Name, Variant: v.Name, Verdict: NotCompared}
		var d []blockLine
		if s.Reason = comparable(against, v); s.Reason == "" {
			var err error
			if d, err = differences(against, v, e); err != nil {
				return nil, fmt.Errorf("comparing %s with %s: %w", v.Name, against.Name, err)
			}
			s.Estimate, s.Reason = e.of(amounts(d, blockLine.sum, v.Nodes, p))
		}
		claims := stats.NoClaims()
		switch {
		case s.Estimate == nil:
		case e.loose:
			s.Verdict, s.Reason = Untested, "without blocks nobody knows how much of it is noise"
		default:
			var err error
			s.Margin = larger(against, v).At(v.Nodes, p.Workload.Requests)
			if claims, s.Reason, err = e.claims(d, s.Margin, v.Nodes, p); err != nil {
				return nil, fmt.Errorf("comparing %s with %s: %w", v.Name, against.Name, err)
			}
			s.Verdict = NotShown
		}
		list, family = append(list, s), append(family, claims)
	}
	return list, decide(list, family)
}

// amounts are what a part of each block's line comes to.
func amounts(lines []blockLine, part func(blockLine) Line, nodes int, p Prices) []float64 {
	var xs []float64
	for _, b := range lines {
		xs = append(xs, part(b).At(nodes, p.Workload.Requests))
	}
	return xs
}

// claims are those that all tested parts of the lines have in common: of each
// the weakest evidence. The reason says that they disagree, which is for a
// reader where nothing is shown.
func (e estimator) claims(lines []blockLine, margin float64, nodes int, p Prices) (claims stats.Claims, reason string, err error) {
	var seen []bool
	for _, part := range e.tested() {
		c, err := stats.ClaimsOf(amounts(lines, part, nodes, p), margin)
		if err != nil {
			return claims, "", err
		}
		claims.Better = max(claims.Better, c.Better)
		claims.Worse = max(claims.Worse, c.Worse)
		claims.Equivalent = max(claims.Equivalent, c.Equivalent)
		seen = append(seen, min(c.Better, c.Worse, c.Equivalent) <= stats.VerdictAlpha)
	}
	if slices.Contains(seen, true) && min(claims.Better, claims.Worse, claims.Equivalent) > stats.VerdictAlpha {
		reason = "it hangs on the memory, of which one installation says little"
	}
	return claims, reason, nil
}

// decide gives the savings that can be tested their verdicts: a saving is one
// that the one-sided test shows after Holm over all that were asked about, so
// that a failure does not make it easier for the others.
func decide(list []Saving, family []stats.Claims) error {
	decisions, err := stats.Decide(family, stats.VerdictAlpha)
	if err != nil {
		return fmt.Errorf("deciding about savings: %w", err)
	}
	for i, d := range decisions {
		s := &list[i]
		if s.Verdict != NotShown {
			continue
		}
		p := min(d.Adjusted.Better, d.Adjusted.Worse)
		s.P = &p
		switch d.Verdict {
		case stats.Better:
			s.Verdict = Saves
		case stats.Worse:
			s.Verdict = CostsMore
		case stats.Equivalent:
			s.Verdict, s.Reason = Equivalent, "they differ by no more than the margin"
			p = d.Adjusted.Equivalent
		default:
			if s.Reason == "" {
				s.Reason = s.whyNotShown(len(family))
			}
		}
	}
	return nil
}

func (s Saving) whyNotShown(family int) string {
	least, err := stats.MinBlocks(stats.VerdictAlpha, family)
	iv := s.Estimate.Interval
	switch {
	case err == nil && s.Estimate.N < least:
		return fmt.Sprintf("%s cannot show any saving among %s: at least %d can", prose.Plural(s.Estimate.N, "block"), prose.Plural(family, "comparison"), least)
	case iv != nil && iv.Low == 0 && iv.High == 0:
		return "both cost the same in every block, as far as these prices see"
	}
	return "the noise may be all of it"
}
