package claims

import (
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
)

// readAcross holds a change between two cells against the blocks that have
// both: of one variant, of every plugin where the claim names none, or, where
// it has a base, of what lies between the two variants.
func (x *checker) readAcross(m Measure, c analysis.Cell, k analysis.Metric) {
	parameters := map[string]string{}
	for name, value := range c.Parameters {
		parameters[name] = value
	}
	for name, value := range m.Against {
		parameters[name] = value
	}
	found := false
	for _, other := range x.cells(m.Scenario, parameters) {
		i := slices.IndexFunc(other.Metrics, func(o analysis.Metric) bool { return o.Name == m.Metric })
		if i < 0 || other.ID == c.ID {
			continue
		}
		found = true
		t := twoCells{now: c, then: other, nowMetric: k, thenMetric: other.Metrics[i]}
		if x.claim.Base == "" {
			x.readChange(t)
		} else {
			x.readGap(t)
		}
	}
	if !found {
		x.lack("no cell is %s", describe(m.Scenario, m.Against))
	}
}

// twoCells are one metric in two cells: in now it is said to differ from then.
type twoCells struct {
	now, then             analysis.Cell
	nowMetric, thenMetric analysis.Metric
}

// readChange is that of a variant from one cell to the other.
func (x *checker) readChange(t twoCells) {
	for _, v := range x.subjects() {
		e := logShift(armOf(t.thenMetric, v.Name), armOf(t.nowMetric, v.Name), x.results.Analysis.Plan.Unpaired())
		if e.absent != "" {
			x.lack("%s: %s", t.now.ID, e.absent)
			continue
		}
		x.doubt(v, x.entryOf(v))
		x.marks = append(x.marks, marksOf(t.then, armOf(t.thenMetric, v.Name))...)
		x.add(t.now, t.nowMetric, "", v.Name, t.then.ID, e, ratioSpan(*x.claim.Number, t.nowMetric))
	}
}

// subjects are the variants of the results that the claim is about: those of
// its entry, or, where it names none, every plugin. The host baseline is none.
func (x *checker) subjects() []analysis.Variant {
	if len(x.claim.Variants) > 0 {
		return x.entries(x.claim.Variants[0])
	}
	var list []analysis.Variant
	for _, v := range x.results.Analysis.Variants {
		if x.entryOf(v) != "host" && !x.results.Analysis.Plan.IsTwin(v.Name) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		x.lack("no plugin is in these results")
	}
	return list
}

// readGap is how far a variant is from its base in one cell, against how far it
// is in the other.
func (x *checker) readGap(t twoCells) {
	x.pairs(x.claim.Variants[0], x.claim.Base, func(v, base analysis.Variant) {
		e := gapShift(t, base.Name, v.Name, x.results.Analysis.Plan.Unpaired())
		if e.absent != "" {
			x.lack("%s: %s", t.now.ID, e.absent)
			return
		}
		x.doubt(v, x.claim.Variants[0])
		x.doubt(base, x.claim.Base)
		for _, name := range []string{base.Name, v.Name} {
			x.marks = append(x.marks, marksOf(t.then, armOf(t.thenMetric, name))...)
		}
		x.marks = append(x.marks, marksOf(t.now, armOf(t.nowMetric, base.Name))...)
		x.add(t.now, t.nowMetric, "", v.Name, base.Name+", and that against "+t.then.ID, e, ratioSpan(*x.claim.Number, t.nowMetric))
	})
}

// gapShift is the change of the ratio of b to a, by the blocks that have both
// in both cells.
func gapShift(t twoCells, a, b string, unpaired bool) estimate {
	if unpaired {
		return absent("a gap is compared within blocks, and these results have none")
	}
	arms := [4]analysis.Arm{armOf(t.thenMetric, a), armOf(t.thenMetric, b), armOf(t.nowMetric, a), armOf(t.nowMetric, b)}
	if e := notAbove0(arms[:]...); e.absent != "" {
		return e
	}
	logRatio := func(x, y float64) float64 { return math.Log(y / x) }
	then, now := shiftsByBlock(arms[0], arms[1], logRatio), shiftsByBlock(arms[2], arms[3], logRatio)
	return pairedShift(differences(then, now, func(x, y float64) float64 { return y - x })).exponential()
}
