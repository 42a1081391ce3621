package report

import (
	"fmt"
	"html/template"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/prose"
	"github.com/cnibench/cnibench/internal/result"
)

// forestRows is the number of comparisons up to which every pair of every
// metric is drawn. Beyond it, metrics that are neither main nor primary show
// their pairs with the base only, to keep the file small; the tables of the
// other formats have all.
const forestRows = 1200

// forestChart shows the effects of all pairs of variants with their intervals
// against the margin.
func forestChart(m analysis.Metric, id string, allPairs bool) chart {
	text := newEffectText(m)
	ax := forestAxis(m, text)
	c := chart{Title: m.Name, Label: forestLabel(m, text)}
	band := func(k *figure.Canvas) {
		if len(m.Comparisons) > 0 {
			b := m.Comparisons[0].Band
			k.Rect(ax.At(b.Low*text.factor), ax.At(b.High*text.factor), -overhang, rowHeight+2*overhang, "band", "")
		}
		k.Line(ax.At(0), -overhang, ax.At(0), rowHeight+overhang, "zero")
	}
	suffix := ""
	if text.ratio {
		suffix = " %"
	}
	c.Axis = newAxisPlot(ax, id, suffix, band)
	for _, k := range m.Comparisons {
		if k.AgainstBase || allPairs {
			c.Rows = append(c.Rows, forestRow(ax, text, k, id))
		}
	}
	left := len(m.Comparisons) - len(c.Rows)
	if m.AA != nil {
		row := forestRow(ax, text, *m.AA, id)
		row.Sub += ", A/A"
		c.Rows = append(c.Rows, row)
	}
	if left > 0 {
		c.Note = fmt.Sprintf("%d pairs without the base are left out here to keep the file small; the text, Markdown and JSON reports have them.", left)
	}
	return c
}

// forestAxis covers the band and all effects, and 0.
func forestAxis(m analysis.Metric, text effectText) figure.Axis {
	values := []float64{0}
	for _, c := range withTwin(m) {
		values = append(values, c.Band.Low*text.factor, c.Band.High*text.factor)
		if c.Effect == nil {
			continue
		}
		values = append(values, c.Effect.Estimate*text.factor)
		if iv := c.Effect.Interval; iv != nil {
			values = append(values, iv.Low*text.factor, iv.High*text.factor)
		}
	}
	return figure.NewAxis(values)
}

func forestLabel(m analysis.Metric, text effectText) string {
	good := "right"
	if m.Better == result.Lower {
		good = "left"
	}
	unit := "change in " + text.unit
	if text.ratio {
		unit = "change in per cent"
	}
	label := fmt.Sprintf("%s, better to the %s", unit, good)
	if m.Margin > 0 {
		label += "; grey band: within the margin of " + text.margin(m)
	}
	return label
}

func forestRow(ax figure.Axis, text effectText, k analysis.Comparison, grid string) chartRow {
	row := chartRow{Name: k.B, Sub: "vs " + k.A, Against: k.A, Minor: !k.Primary}
	if k.Effect == nil {
		row.Value, row.Plot = "no pairs", emptyPlot(grid)
		return row
	}
	row.Verdict = string(k.Verdict)
	row.Value, row.Detail = text.estimate(*k.Effect), text.interval(*k.Effect)
	switch {
	case k.Further > 0:
		row.Outlook = "about " + prose.Plural(k.Further, "more block")
	case k.Open != "":
		row.Outlook = k.Open
	}
	row.Plot = forestPlot(ax, text, *k.Effect, grid)
	return row
}

func forestPlot(ax figure.Axis, text effectText, e analysis.Effect, grid string) template.HTML {
	c := figure.NewCanvas(rowHeight)
	c.Use(grid)
	const middle = rowHeight / 2
	if iv := e.Interval; iv != nil {
		low, high := ax.At(iv.Low*text.factor), ax.At(iv.High*text.factor)
		c.Line(low, middle, high, middle, "reach")
		c.Line(low, middle-5, low, middle+5, "reach")
		c.Line(high, middle-5, high, middle+5, "reach")
	}
	c.Dot(ax.At(e.Estimate*text.factor), middle, 5, "", "")
	return c.HTML()
}
