package report

import (
	"slices"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
)

// Metrics of CPU efficiency as throughput scenarios name them: all busy modes
// of the machine, and the same without the load generator's own share.
const (
	cpuPerGbit    = "cpu-per-gbit"
	cpuPerGbitNet = "cpu-per-gbit-net"
)

// efficiencyChart shows CPU per Gbit/s of one cell: the median as a filled dot,
// the median without the load generator's share as a ring, the line between
// them for that share, and the blocks' values faintly behind. It reports false
// for a cell without the metric.
func efficiencyChart(c analysis.Cell, blocks int, id string) (chart, bool) {
	whole, ok := metricOf(c, cpuPerGbit)
	if !ok {
		return chart{}, false
	}
	net, _ := metricOf(c, cpuPerGbitNet)
	both := analysis.Metric{Metric: whole.Metric, Arms: append(append([]analysis.Arm{}, whole.Arms...), net.Arms...)}
	show := measureOf(both)
	ax := figure.NewAxis(append(shownValues(both, show), 0))
	f := chart{Title: c.ID, Label: show.unit + "; lower is better", Axis: newAxisPlot(ax, id, "", nil)}
	some := slices.ContainsFunc(net.Arms, func(a analysis.Arm) bool { return a.Summary != nil })
	if !some {
		f.Note = "The load generator's share was not measured."
	}
	for i, arm := range whole.Arms {
		row := chartRow{Name: arm.Variant, Value: "no value", Plot: emptyPlot(id)}
		if arm.Summary != nil {
			var own analysis.Arm
			if len(net.Arms) > 0 {
				own = net.Arms[i]
			}
			row = efficiencyRow(ax, show, [2]analysis.Arm{arm, own}, blocks, id)
			if own.Summary == nil && some {
				row.Detail = "the load generator's share was not measured"
			}
		}
		f.Rows = append(f.Rows, row)
	}
	return f, true
}

// efficiencyRow draws one variant; arms are the whole and, where it was
// measured, the net.
func efficiencyRow(ax figure.Axis, show measure, arms [2]analysis.Arm, blocks int, grid string) chartRow {
	whole, net := arms[0].Summary, arms[1].Summary
	row := chartRow{Name: arms[0].Variant, Value: show.with(whole.Median)}
	if net != nil {
		row.Detail = show.number(net.Median) + " without the load generator"
	}
	c := figure.NewCanvas(rowHeight)
	c.Use(grid)
	var spots []figure.Spot
	for _, arm := range arms {
		for _, s := range arm.Samples {
			spots = append(spots, figure.Spot{X: ax.At(s.Value / show.divisor), Y: blockHeight(s.Block, blocks)})
		}
	}
	c.Dots(spots, "faint")
	const middle = rowHeight / 2
	x := ax.At(whole.Median / show.divisor)
	if net != nil {
		xNet := ax.At(net.Median / show.divisor)
		c.Line(xNet, middle, x, middle, "share")
		c.Dot(xNet, middle, 5, "net", "")
	}
	c.Dot(x, middle, 5, "", "")
	row.Plot = c.HTML()
	return row
}

func metricOf(c analysis.Cell, name string) (analysis.Metric, bool) {
	for _, m := range c.Metrics {
		if m.Name == name {
			return m, true
		}
	}
	return analysis.Metric{}, false
}
