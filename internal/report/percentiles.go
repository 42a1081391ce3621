package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/prose"
)

// percentileName is that of a metric which is a percentile: latency-p99, p999.
var percentileName = regexp.MustCompile(`^(?:(.+)-)?p(50|75|90|95|99|999|9999|99999)$`)

// fewestPercentiles make a curve: two are told by strips.
const fewestPercentiles = 3

// markTooFew is on trials with too few requests for their highest percentile.
const markTooFew = "too-few-samples"

// percentileCurve is the latency of one cell: for each variant, quantile and
// time of every block.
type percentileCurve struct {
	name string
	arms []percentileArm
	note string
}

type percentileArm struct {
	variant string
	blocks  []Distribution // Cell and Requests are not needed
}

// percentileFigures draws the latencies of every cell: from whole distributions
// where the evidence has them, otherwise from the percentiles that are metrics.
func percentileFigures(a analysis.Analysis, all []Distribution) []cellDrawings {
	var list []cellDrawings
	for i, c := range a.Cells {
		own := cellDrawings{Cell: c.ID}
		for j, p := range curvesOf(a, c, all) {
			own.Drawings = append(own.Drawings, p.draw(fmt.Sprintf("l%d-%d", i, j)))
		}
		if len(own.Drawings) > 0 {
			list = append(list, own)
		}
	}
	return list
}

// curvesOf are the curves of one cell.
func curvesOf(a analysis.Analysis, c analysis.Cell, all []Distribution) []percentileCurve {
	curves := metricCurves(c)
	if whole, ok := distributionCurve(a, c, all); ok {
		curves = slices.DeleteFunc(curves, func(p percentileCurve) bool { return p.name == whole.name })
		curves = append([]percentileCurve{whole}, curves...)
	}
	return curves
}

// distributionCurve is made of the histograms of a cell's trials. It reports
// false unless all trials with percentiles have one: a copy may lack some.
func distributionCurve(a analysis.Analysis, c analysis.Cell, all []Distribution) (percentileCurve, bool) {
	p := percentileCurve{name: "latency"}
	fewest, count := int64(math.MaxInt64), 0
	for _, v := range a.Plan.Variants {
		arm := percentileArm{variant: v.Name}
		for _, d := range all {
			if d.Cell == c.ID && d.Variant == v.Name && len(d.Percentiles) > 0 {
				arm.blocks = append(arm.blocks, d)
				fewest, count = min(fewest, d.Requests), count+1
			}
		}
		slices.SortStableFunc(arm.blocks, func(x, y Distribution) int { return x.Block - y.Block })
		p.arms = append(p.arms, arm)
	}
	p.note = fmt.Sprintf("From intended sending to the end of the answer, of all requests. A line ends where fewer than %d requests took longer, or had no answer at all; there were at least %s in a trial.",
		beyond, prose.Plural(int(fewest), "request"))
	m, _ := metricOf(c, "latency-p50")
	values := 0
	for _, arm := range m.Arms {
		values += len(arm.Samples)
	}
	return p, count > 0 && count >= values
}

// metricCurves are the families of percentiles among a cell's metrics.
func metricCurves(c analysis.Cell) []percentileCurve {
	var names []string
	families := map[string][]analysis.Metric{}
	for _, m := range c.Metrics {
		if match := percentileName.FindStringSubmatch(m.Name); match != nil && m.Unit == "s" {
			if families[match[1]] == nil {
				names = append(names, match[1])
			}
			families[match[1]] = append(families[match[1]], m)
		}
	}
	var curves []percentileCurve
	for _, name := range names {
		if family := families[name]; len(family) >= fewestPercentiles {
			curves = append(curves, percentileCurve{name: name, arms: metricArms(family), note: refusals(c, name, family)})
		}
	}
	return curves
}

// quantileOf reads the quantile from the name of a metric: 0.999 of p999.
func quantileOf(name string) float64 {
	digits := percentileName.FindStringSubmatch(name)[2]
	n, err := strconv.ParseFloat("0."+digits, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// metricArms turns metrics, one per quantile, into blocks with percentiles.
func metricArms(family []analysis.Metric) []percentileArm {
	slices.SortStableFunc(family, func(x, y analysis.Metric) int { return cmp.Compare(quantileOf(x.Name), quantileOf(y.Name)) })
	var arms []percentileArm
	for i, first := range family[0].Arms {
		arm := percentileArm{variant: first.Variant}
		index := map[int]int{}
		for _, m := range family {
			for _, s := range m.Arms[i].Samples {
				at, known := index[s.Block]
				if !known {
					at = len(arm.blocks)
					index[s.Block] = at
					arm.blocks = append(arm.blocks, Distribution{Variant: arm.variant, Block: s.Block})
				}
				arm.blocks[at].Percentiles = append(arm.blocks[at].Percentiles, Percentile{quantileOf(m.Name), s.Value})
			}
		}
		arms = append(arms, arm)
	}
	return arms
}

// refusals says which percentiles are not drawn because trials were too small
// for them.
func refusals(c analysis.Cell, name string, family []analysis.Metric) string {
	trials, few := 0, 0
	for _, arm := range family[0].Arms {
		for _, s := range arm.Samples {
			trials++
			if slices.Contains(s.Marks, markTooFew) {
				few++
			}
		}
	}
	var notes []string
	if few > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s had too few requests for the highest percentile, which they do not report.", few, prose.Plural(trials, "trial")))
	}
	for _, absence := range append(c.NotOffered(), c.Lost()...) {
		for _, m := range absence.Metrics {
			if match := percentileName.FindStringSubmatch(m); match != nil && match[1] == name {
				notes = append(notes, fmt.Sprintf("%s is missing from %s: %s.", m, prose.Plural(absence.Trials, "trial"), absence.Reason))
			}
		}
	}
	return strings.Join(notes, " ")
}

// draw draws the curves: each block faintly, and the median of the blocks where
// every block of a variant has the percentile.
func (p percentileCurve) draw(id string) figure.Drawing {
	var times, drawn []float64
	for _, arm := range p.arms {
		for _, b := range arm.blocks {
			for _, q := range b.Percentiles {
				times, drawn = append(times, q.Time), append(drawn, q.Quantile)
			}
		}
	}
	show := newMeasure("s", times)
	for i := range times {
		times[i] /= show.divisor
	}
	curves := figure.Curves{
		ID: id, Title: cmp.Or(p.name, "latency"), Note: p.note,
		X: figure.NewPercentileAxis(drawn), XLabel: "percentile",
		Y: figure.NewWideAxis(times), YLabel: axisLabel(figure.NewWideAxis(times), show.unit),
	}
	for _, arm := range p.arms {
		line := arm.line(show)
		line.Words = namedWords(line, show)
		curves.Lines = append(curves.Lines, line)
	}
	curves.Description = "Latency by percentile, median over blocks."
	return curves.Draw()
}

// axisLabel says how a vertical axis is to be read.
func axisLabel(ax figure.Axis, unit string) string {
	switch {
	case ax.Logarithmic():
		return unit + ", logarithmic"
	case !ax.StartsAtZero():
		return unit + "; the axis does not start at 0"
	}
	return unit
}

// values are the medians at the percentiles that every block has.
func (arm percentileArm) values() []CurveValue {
	at := map[float64][]float64{}
	for _, b := range arm.blocks {
		for _, q := range b.Percentiles {
			at[q.Quantile] = append(at[q.Quantile], q.Time)
		}
	}
	var values []CurveValue
	for _, q := range slices.Sorted(maps.Keys(at)) {
		if v, ok := newCurveValue(q, at[q]); ok && v.N == len(arm.blocks) {
			values = append(values, v)
		}
	}
	return values
}

func (arm percentileArm) line(show measure) figure.Line {
	line := figure.Line{Name: arm.variant}
	for _, b := range arm.blocks {
		var one []figure.XY
		for _, q := range b.Percentiles {
			one = append(one, figure.XY{X: q.Quantile, Y: q.Time / show.divisor})
		}
		line.Traces = append(line.Traces, one)
	}
	for _, v := range arm.values() {
		p := v.point(show, fmt.Sprintf("%s, %s", arm.variant, percentText(v.At)))
		if !slices.Contains(named, v.At) {
			p.Title = "" // a point of the line only
		}
		line.Points = append(line.Points, p)
	}
	return line
}

// named are the percentiles that have a mark and are told in words.
var named = []float64{0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999}

// namedWords are a line's named percentiles.
func namedWords(line figure.Line, show measure) string {
	var parts []string
	for _, q := range named {
		for _, p := range line.Points {
			if p.X == q {
				parts = append(parts, fmt.Sprintf("%s %s", percentText(q), show.with(p.Y*show.divisor)))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// percentText writes a quantile: 99.9 %.
func percentText(q float64) string {
	return strconv.FormatFloat(math.Round(1e7*q)/1e5, 'f', -1, 64) + " %"
}
