package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/result"
)

// breakdown shows what the busy CPU of a cell was made of: a bar per variant,
// its parts the medians of the metrics of one group.
type breakdown struct {
	Figure chart
	Legend []legendEntry
}

// legendEntry names a part and the class of its colour.
type legendEntry struct{ Class, Name string }

// partColours is the number of colours of parts in the style sheet.
const partColours = 8

// cniCPU is a metric of its own, and a part of the CPU by owner.
const cniCPU = "cni-cpu"

// breakdowns draws the groups of a cell that are parts of the busy CPU.
func breakdowns(c analysis.Cell, id string) []breakdown {
	var list []breakdown
	for i, group := range []string{result.CPUByMode, result.CPUByOwner} {
		var parts []analysis.Metric
		for _, m := range c.Metrics {
			if m.Group == group || group == result.CPUByOwner && m.Name == cniCPU {
				parts = append(parts, m)
			}
		}
		if slices.ContainsFunc(parts, func(m analysis.Metric) bool { return m.Group == group }) {
			list = append(list, newBreakdown(c.ID+": "+group, parts, fmt.Sprintf("%s-%d", id, i)))
		}
	}
	return list
}

// newBreakdown draws parts that all have the same arms. A part below 0, which
// two clocks of the kernel can make of almost nothing, has no width.
func newBreakdown(title string, parts []analysis.Metric, id string) breakdown {
	totals := make([]float64, len(parts[0].Arms))
	for i := range totals {
		for _, m := range parts {
			totals[i] += median(m.Arms[i])
		}
	}
	show := newMeasure(parts[0].Unit, totals)
	top := slices.Max(totals) / show.divisor
	ax := figure.NewAxis([]float64{0, top})
	b := breakdown{Figure: chart{Title: title, Label: show.unit + "; medians of the parts, which need not add up to the median of the whole", Axis: newAxisPlot(ax, id, "", nil)}}
	for i, m := range parts {
		b.Legend = append(b.Legend, legendEntry{partClass(i), partName(m.Name)})
	}
	for i, arm := range parts[0].Arms {
		b.Figure.Rows = append(b.Figure.Rows, breakdownRow(ax, show, arm.Variant, parts, i, totals[i], id))
	}
	return b
}

func breakdownRow(ax figure.Axis, show measure, variant string, parts []analysis.Metric, arm int, total float64, grid string) chartRow {
	row := chartRow{Name: variant, Value: "no value", Plot: emptyPlot(grid)}
	if !slices.ContainsFunc(parts, func(m analysis.Metric) bool { return m.Arms[arm].Summary != nil }) {
		return row
	}
	c := figure.NewCanvas(rowHeight)
	c.Use(grid)
	const inset = 6
	type share struct {
		name  string
		value float64
	}
	var shares []share
	at := 0.0
	for i, m := range parts {
		v, name := max(median(m.Arms[arm]), 0), partName(m.Name)
		left, right := ax.At(at/show.divisor), ax.At((at+v)/show.divisor)
		c.Rect(left, right, inset, rowHeight-2*inset, partClass(i), fmt.Sprintf("%s: %s", name, show.with(v)))
		if right-left >= labelledShare {
			c.Text((left+right)/2, rowHeight/2+4, name, "on-part on-"+partClass(i))
		}
		shares = append(shares, share{name, v})
		at += v
	}
	row.Value, row.Plot = show.with(total), c.HTML()
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.value, a.value) })
	var words []string
	for _, s := range shares[:min(len(shares), toldShares)] {
		if total > 0 && s.value > 0 {
			words = append(words, fmt.Sprintf("%s %.0f %%", s.name, 100*s.value/total))
		}
	}
	row.Detail = strings.Join(words, ", ")
	return row
}

const (
	// labelledShare is the least width of a part that carries its name, in per
	// cent of the plot.
	labelledShare = 15
	// toldShares is how many parts, the largest ones, are also told in words.
	toldShares = 3
)

// partName is a metric's name without what all parts have in common.
func partName(metric string) string {
	return strings.TrimSuffix(strings.TrimPrefix(metric, "cpu-"), "-cpu")
}

func partClass(i int) string { return fmt.Sprintf("part%d", i%partColours) }

// median is that of an arm, and nothing for one without samples.
func median(arm analysis.Arm) float64 {
	if arm.Summary == nil {
		return 0
	}
	return arm.Summary.Median
}
