package claims

import (
	"fmt"
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// readLevel holds an amount against a variant's median.
func (x *checker) readLevel(m Measure, c analysis.Cell, k analysis.Metric) {
	if x.claim.Unit.Base != k.Unit {
		x.barriers = append(x.barriers, fmt.Sprintf("the claim is in %s, the metric %s in %s", orPlain(x.claim.Unit.Name), k.Name, k.Unit))
		return
	}
	for _, v := range x.entries(x.claim.Variants[0]) {
		e := level(armOf(k, v.Name))
		if e.absent != "" {
			x.lack("%s: %s", c.ID, e.absent)
			continue
		}
		if m.PerNode {
			x.barriers = append(x.barriers, "the claim is about one node, and the metric the sum over the nodes that carry load")
		}
		if x.claim.When != "" {
			x.barriers = append(x.barriers, "the claim holds "+x.claim.When+", which is no parameter of cnibench's")
		}
		x.barriers = append(x.barriers, x.conditions(v).differ(x.claim.Setup, x.claim.Variants[0])...)
		x.add(c, k, k.Unit, v.Name, "", e, levelSpan(x.claim.Number.scaled(x.claim.Unit.Factor), k))
	}
}

func orPlain(unit string) string {
	if unit == "" {
		return "a plain number"
	}
	return unit
}

// readRatio holds a change between two variants against that of the results.
func (x *checker) readRatio(c analysis.Cell, k analysis.Metric) {
	x.pairs(x.claim.Variants[0], x.claim.Base, func(v, base analysis.Variant) {
		e := change(k, base.Name, v.Name, x.results.Analysis.Plan.Unpaired())
		if k.Scale == result.Ratio {
			e = effectOf(k, base.Name, v.Name)
		}
		if e.absent != "" {
			x.lack("%s: %s", c.ID, e.absent)
			return
		}
		x.doubt(v, x.claim.Variants[0])
		x.doubt(base, x.claim.Base)
		x.add(c, k, "", v.Name, base.Name, e, ratioSpan(*x.claim.Number, k))
	})
}

// readOrder holds an order of variants, each against all after it, against the
// comparisons of the results; or the likeness of every two.
func (x *checker) readOrder(c analysis.Cell, k analysis.Metric) {
	list := x.claim.Variants
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			before := len(x.readings)
			x.pairs(list[i], list[j], func(best, next analysis.Variant) { x.readTwo(c, k, best, next) })
			if len(x.readings) == before {
				x.unread++
			} else {
				x.doubts = append(x.doubts, x.ofEntry(list[i])...)
				x.doubts = append(x.doubts, x.ofEntry(list[j])...)
			}
		}
	}
}

func (x *checker) readTwo(c analysis.Cell, k analysis.Metric, best, next analysis.Variant) {
	e := effectOf(k, next.Name, best.Name)
	if e.absent != "" {
		x.lack("%s: %s", c.ID, e.absent)
		return
	}
	s := betterSpan(k, bandOf(k))
	if x.claim.Kind == Equal {
		s = alikeSpan(x.claim.Within, bandOf(k), k)
	}
	unit := ""
	if k.Scale == result.Difference {
		unit = k.Unit
	}
	x.add(c, k, unit, best.Name, next.Name, e, s)
}

// ofEntry is what differs for the variants of an entry.
func (x *checker) ofEntry(entry string) []string {
	var list []string
	for _, v := range x.entries(entry) {
		list = append(list, x.conditions(v).differ(x.claim.Setup, entry)...)
	}
	return list
}

// pairs calls f for every two variants of the results that are the two entries.
func (x *checker) pairs(a, b string, f func(a, b analysis.Variant)) {
	as, bs := x.entries(a), x.entries(b)
	for _, v := range as {
		for _, w := range bs {
			f(v, w)
		}
	}
}

func (x *checker) conditions(v analysis.Variant) conditions {
	return conditionsOf(v, x.results.Analysis.Topology, x.results.Environment)
}

// doubt notes what is not as the source has it.
func (x *checker) doubt(v analysis.Variant, entry string) {
	x.doubts = append(x.doubts, x.conditions(v).differ(x.claim.Setup, entry)...)
}

func (x *checker) add(c analysis.Cell, k analysis.Metric, unit, variant, against string, e estimate, s span) {
	for _, name := range []string{against, variant} {
		x.marks = append(x.marks, marksOf(c, armOf(k, name))...)
	}
	x.readings = append(x.readings, Reading{
		Cell: c.ID, Metric: k.Name, Unit: unit, Variant: variant, Against: against, N: e.n,
		Estimate: e.value, Low: e.low, High: e.high, From: end(s.low), To: end(s.high), State: s.decide(e),
	})
}

// marksOf counts the trials of an arm that have a mark, such as cpu-saturated.
func marksOf(c analysis.Cell, a analysis.Arm) []string {
	var names []string
	counts := map[string]int{}
	for _, s := range a.Samples {
		for _, mark := range s.Marks {
			if counts[mark] == 0 {
				names = append(names, mark)
			}
			counts[mark]++
		}
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %s: %d of %s %s", c.ID, a.Variant, counts[name], prose.Plural(len(a.Samples), "trial"), name)
	}
	return names
}

func end(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// words say what was read and what is claimed.
func (r Reading) words() string {
	interval := "too few values for an interval"
	if r.Low != nil {
		interval = "95 % interval " + r.Interval()
	}
	return fmt.Sprintf("%s: %s, %s, n = %d; the claim allows %s", r.Subject(), r.Figure(), interval, r.N, r.Allowed())
}
