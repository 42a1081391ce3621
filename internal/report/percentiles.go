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
	"github.com/cnibench/cnibench/internal/stats"
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
	cell, name string
	arms       []percentileArm
	note       string
}

type percentileArm struct {
	variant string
	blocks  []Distribution // Cell and Requests are not needed
}

// percentileFigures draws the latencies of every cell: from whole distributions
// where the evidence has them, otherwise from the percentiles that are metrics.
func percentileFigures(a analysis.Analysis, all []Distribution) []figure.Drawing {
	var drawings []figure.Drawing
	for i, c := range a.Cells {
		for j, p := range curvesOf(a, c, all) {
			drawings = append(drawings, p.draw(fmt.Sprintf("l%d-%d", i, j)))
		}
	}
	return drawings
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
	p := percentileCurve{cell: c.ID, name: "latency"}
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
			curves = append(curves, percentileCurve{cell: c.ID, name: name, arms: metricArms(family), note: refusals(c, name, family)})
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
		ID: id, Title: strings.TrimPrefix(p.cell+": "+p.name, ": "), Note: p.note,
		X: figure.NewPercentileAxis(drawn), XLabel: "percentile; each step to the right leaves a tenth as many requests beyond it",
		Y: figure.NewWideAxis(times), YLabel: axisLabel(figure.NewWideAxis(times), show.unit),
	}
	var words []string
	for _, arm := range p.arms {
		line := arm.line(show)
		curves.Lines = append(curves.Lines, line)
		words = append(words, arm.words(line, show))
	}
	curves.Description = "Latency by percentile, median over blocks. " + strings.Join(words, "; ") + "."
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

func (arm percentileArm) line(show measure) figure.Line {
	line := figure.Line{Name: arm.variant}
	at := map[float64][]float64{}
	for _, b := range arm.blocks {
		var one []figure.XY
		for _, q := range b.Percentiles {
			at[q.Quantile] = append(at[q.Quantile], q.Time)
			one = append(one, figure.XY{X: q.Quantile, Y: q.Time / show.divisor})
		}
		line.Traces = append(line.Traces, one)
	}
	for _, q := range slices.Sorted(maps.Keys(at)) {
		if len(at[q]) == len(arm.blocks) {
			line.Points = append(line.Points, medianPoint(q, at[q], show, fmt.Sprintf("%s, %s", arm.variant, percentText(q))))
		}
	}
	return line
}

// medianPoint is the median of values with its interval, in the unit shown.
func medianPoint(x float64, values []float64, show measure, what string) figure.CurvePoint {
	p := figure.CurvePoint{X: x, Y: math.NaN(), Low: math.NaN(), High: math.NaN()}
	s, err := stats.Summarize(values, analysis.Confidence)
	if err != nil { // a value that is not finite
		return p
	}
	p.Y, p.Title = s.Median/show.divisor, fmt.Sprintf("%s: %s, n %d", what, show.with(s.Median), s.N)
	if iv := s.MedianInterval; iv.Absent == "" {
		p.Low, p.High = iv.Low/show.divisor, iv.High/show.divisor
		p.Title = fmt.Sprintf("%s: %s (%s), n %d", what, show.with(s.Median), show.span(iv.Low, iv.High), s.N)
	}
	return p
}

// words are a line's main points for who does not see it.
func (arm percentileArm) words(line figure.Line, show measure) string {
	var parts []string
	for _, q := range []float64{0.5, 0.9, 0.99, 0.999, 0.9999} {
		for _, p := range line.Points {
			if p.X == q {
				parts = append(parts, fmt.Sprintf("%s %s", percentText(q), show.with(p.Y*show.divisor)))
			}
		}
	}
	if len(parts) == 0 {
		return arm.variant + ": no value"
	}
	return arm.variant + ": " + strings.Join(parts, ", ")
}

// percentText writes a quantile: 99.9 %.
func percentText(q float64) string {
	return strconv.FormatFloat(math.Round(1e7*q)/1e5, 'f', -1, 64) + " %"
}
