package report

import (
	"fmt"
	"html/template"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
)

// dotTitles is the number of samples up to which every dot carries its value
// as a title. Beyond it they would be most of the file.
const dotTitles = 5000

// stripChart shows every block's value of a metric, with median and interval.
// Dots go down a row in the order of the blocks, so that drift leans.
func stripChart(a analysis.Analysis, m analysis.Metric, id string, titles bool) chart {
	show := measureOf(m)
	ax := figure.NewAxis(shownValues(m, show))
	c := chart{Title: metricTitle(m, show.unit), Note: m.Help, Label: show.unit}
	if !ax.StartsAtZero() {
		c.Label += "; the axis does not start at 0"
	}
	c.Axis = newAxisPlot(ax, id, "", nil)
	for _, arm := range m.Arms {
		row := chartRow{Name: arm.Variant, Value: "no value", Plot: emptyPlot(id)}
		if arm.Variant == a.Plan.Analysis.Base {
			row.Sub = "base"
		}
		if arm.Summary != nil {
			row.Plot = stripPlot(ax, show, arm, len(a.Blocks()), id, titles)
			row.Value = show.with(arm.Summary.Median)
			row.Detail = intervalDetail(show, *arm.Summary)
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func emptyPlot(grid string) template.HTML {
	c := figure.NewCanvas(rowHeight)
	c.Use(grid)
	return c.HTML()
}

// shownValues returns all samples and interval ends in the unit shown.
func shownValues(m analysis.Metric, show measure) []float64 {
	var values []float64
	for _, arm := range m.Arms {
		for _, s := range arm.Samples {
			values = append(values, s.Value/show.divisor)
		}
	}
	return values
}

func stripPlot(ax figure.Axis, show measure, arm analysis.Arm, blocks int, grid string, titles bool) template.HTML {
	s := *arm.Summary
	c := figure.NewCanvas(rowHeight)
	c.Use(grid)
	if s.Interval != nil {
		low, high := ax.At(s.Interval.Low/show.divisor), ax.At(s.Interval.High/show.divisor)
		c.Rect(low, high, 2, rowHeight-4, "interval", "")
	}
	drawSamples(c, ax, show, arm, blocks, titles)
	x := ax.At(s.Median / show.divisor)
	c.Line(x, 1, x, rowHeight-1, "median")
	return c.HTML()
}

// drawSamples draws the dots of an arm; with titles, each carries its value.
func drawSamples(c *figure.Canvas, ax figure.Axis, show measure, arm analysis.Arm, blocks int, titles bool) {
	var plain []figure.Spot
	for _, s := range arm.Samples {
		x, y := ax.At(s.Value/show.divisor), blockHeight(s.Block, blocks)
		title := fmt.Sprintf("block %d: %s", s.Block, show.with(s.Value))
		switch {
		case s.Outlier:
			c.Dot(x, y, 3.5, "outlier", title)
		case titles:
			c.Dot(x, y, 3.5, "", title)
		default:
			plain = append(plain, figure.Spot{X: x, Y: y})
		}
	}
	if len(plain) > 0 {
		c.Dots(plain, "sample")
	}
}

// blockHeight spreads blocks from the top of a row to its bottom.
func blockHeight(block, blocks int) float64 {
	if blocks < 2 {
		return rowHeight / 2
	}
	const edge = 6
	return edge + (rowHeight-2*edge)*float64(block-1)/float64(blocks-1)
}

func intervalDetail(show measure, s analysis.Summary) string {
	if s.Interval == nil {
		return fmt.Sprintf("no interval, n %d", s.N)
	}
	return fmt.Sprintf("%s, n %d", show.span(s.Interval.Low, s.Interval.High), s.N)
}
