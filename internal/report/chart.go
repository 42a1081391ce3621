package report

import (
	"html/template"

	"github.com/cnibench/cnibench/internal/figure"
)

// chart is a figure with one row per thing that is compared. The rows are
// HTML, so that names and numbers wrap and can be copied; only what has a
// horizontal place is SVG.
type chart struct {
	Title, Note string
	Rows        []chartRow
	Axis        template.HTML
	Label       string // what the axis shows
}

// chartRow is one line of a chart.
type chartRow struct {
	Name, Sub     string
	Plot          template.HTML
	Value, Detail string
	Verdict       string // empty where nothing is judged
	Outlook       string // what may settle an open verdict
	Minor         bool   // exploratory
	Against       string // the variant that it is compared with, if any
	Key           string // of its values in the page
}

// rowHeight is that of a row's plot, in pixels.
const rowHeight = 36

// overhang is how far grid and band reach beyond a plot, so that they fill a
// row which its text makes higher. The row cuts off what is too much.
const overhang = 40

// newAxisPlot draws the tick labels and defines, under an id, the grid that
// the rows of the chart show. Grid may draw more into it.
func newAxisPlot(a figure.Axis, id, suffix string, grid func(*figure.Canvas)) template.HTML {
	c := figure.NewCanvas(20)
	c.Define(id, func() {
		if grid != nil {
			grid(c)
		}
		for _, t := range a.Ticks {
			c.Line(a.At(t.Value), -overhang, a.At(t.Value), rowHeight+overhang, "grid")
		}
	})
	for _, t := range a.Ticks {
		c.Text(a.At(t.Value), 14, t.Label+suffix, "")
	}
	return c.HTML()
}
