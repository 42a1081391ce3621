package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/stats"
)

// A plot is two panels of these sizes in pixels: p-values to the left, and the
// blocks' differences in the order of their measurement to the right.
const (
	plotWidth, plotHeight  = 900, 380
	panelTop, panelBottom  = 40, 330
	leftFrom, leftTo       = 60, 400
	rightFrom, rightTo     = 500, 880
	largestDifferenceShown = 0.30
)

// plotStyle has the colours of the report's charts, light and dark.
const plotStyle = `<style>
text{font:13px system-ui,sans-serif;fill:#1c2127}.small{font-size:11px;fill:#5a6570}
.paper{fill:#fff}.axis{stroke:#5a6570;fill:none}.grid{stroke:#eceff2}.band{fill:#0072b229}
.fair{stroke:#5a6570;stroke-dasharray:4 3;fill:none}.data{stroke:#0072b2;stroke-width:2;fill:none}
.dots{stroke:#0072b2;stroke-width:3;stroke-linecap:round;opacity:.6;fill:none}.margin{stroke:#a84300;stroke-dasharray:4 3}
@media (prefers-color-scheme:dark){text{fill:#e4e8ec}.small{fill:#9ca6b0}.paper{fill:#14171a}.axis{stroke:#9ca6b0}
.grid{stroke:#22272d}.band{fill:#56b4e933}.fair{stroke:#9ca6b0}.data,.dots{stroke:#56b4e9}.margin{stroke:#f0923c}}
</style>`

// plot draws the p-values' distribution against that of fair ones, with the band
// in which it lies at a point with 95 % chance, and every block's difference.
func (j twins) plot() (string, error) {
	grid, err := stats.TwoSidedGrid(comparison)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%d A/A comparisons: p-values and differences">`,
		plotWidth, plotHeight, len(j.ps))
	b.WriteString(plotStyle)
	fmt.Fprintf(&b, `<rect class="paper" width="%d" height="%d"/>`, plotWidth, plotHeight)
	j.plotShares(&b, grid)
	j.plotDifferences(&b)
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// plotShares draws the share of p-values up to each point of the grid.
func (j twins) plotShares(b *strings.Builder, grid []float64) {
	x := func(p float64) float64 { return leftFrom + p*(leftTo-leftFrom) }
	y := func(share float64) float64 { return panelBottom - share*(panelBottom-panelTop) }
	fmt.Fprintf(b, `<text x="%d" y="22">%d p-values: share up to each</text>`, leftFrom, len(j.ps))
	for _, t := range []float64{0, 0.25, 0.5, 0.75, 1} {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fH%d"/><text class="small" text-anchor="end" x="%d" y="%.1f">%.0f %%</text><text class="small" text-anchor="middle" x="%.1f" y="%d">%g</text>`,
			leftFrom, y(t), leftTo, leftFrom-6, y(t)+4, 100*t, x(t), panelBottom+16, t)
	}
	var low, high, fair, data []string
	for i, p := range grid {
		next := 1.0
		if i+1 < len(grid) {
			next = grid[i+1]
		}
		step := func(share float64) string {
			return fmt.Sprintf("%.1f,%.1f %.1f,%.1f", x(p), y(share), x(next), y(share))
		}
		half := 1.96 * math.Sqrt(p*(1-p)/float64(len(j.ps)))
		low, high = append(low, step(max(0, p-half))), append(high, fmt.Sprintf("%.1f,%.1f %.1f,%.1f", x(next), y(min(1, p+half)), x(p), y(min(1, p+half))))
		fair, data = append(fair, step(p)), append(data, step(upTo(j.ps, p)))
	}
	slices.Reverse(high)
	fmt.Fprintf(b, `<polygon class="band" points="%s %s"/><polyline class="fair" points="%s"/><polyline class="data" points="%s"/>`,
		strings.Join(low, " "), strings.Join(high, " "), strings.Join(fair, " "), strings.Join(data, " "))
	fmt.Fprintf(b, `<path class="axis" d="M%d %dV%dH%d"/><text class="small" text-anchor="middle" x="%d" y="%d">two-sided p against 0; dashed: fair, with its 95 %% band</text>`,
		leftFrom, panelTop, panelBottom, leftTo, (leftFrom+leftTo)/2, panelBottom+36)
}

// upTo is the share of ps up to a point of the grid, with room for rounding.
func upTo(ps []float64, p float64) float64 {
	count := 0
	for _, x := range ps {
		if x <= p+1e-9 {
			count++
		}
	}
	return float64(count) / float64(len(ps))
}

// plotDifferences draws every block's difference in the order of measurement.
func (j twins) plotDifferences(b *strings.Builder) {
	limit := 0.05
	for _, d := range j.differences {
		limit = min(max(limit, 1.05*math.Abs(d)), largestDifferenceShown)
	}
	x := func(i int) float64 {
		return rightFrom + (float64(i)+0.5)*(rightTo-rightFrom)/float64(len(j.differences))
	}
	y := func(d float64) float64 { return (panelTop+panelBottom)/2 - d/limit*(panelBottom-panelTop)/2 }
	fmt.Fprintf(b, `<text x="%d" y="22">%s blocks: difference of the two names</text>`, rightFrom, grouped(len(j.differences)))
	for _, t := range []float64{-limit, -limit / 2, 0, limit / 2, limit} {
		fmt.Fprintf(b, `<path class="grid" d="M%d %.1fH%d"/><text class="small" text-anchor="end" x="%d" y="%.1f">%+.1f %%</text>`,
			rightFrom, y(t), rightTo, rightFrom-6, y(t)+4, 100*math.Expm1(t))
	}
	for _, m := range []float64{-math.Log1p(margin), math.Log1p(margin)} {
		fmt.Fprintf(b, `<path class="margin" d="M%d %.1fH%d"/>`, rightFrom, y(m), rightTo)
	}
	b.WriteString(`<path class="dots" d="`)
	beyond := 0
	for i, d := range j.differences {
		if math.Abs(d) > limit {
			beyond++
			d = math.Copysign(limit, d)
		}
		fmt.Fprintf(b, "M%.1f %.1fh0", x(i), y(d))
	}
	note := "as measured; dashed: the margin"
	if beyond > 0 {
		note += fmt.Sprintf("; %d beyond the edges", beyond)
	}
	fmt.Fprintf(b, `"/><path class="axis" d="M%d %dV%d"/><text class="small" text-anchor="middle" x="%d" y="%d">%s</text>`,
		rightFrom, panelTop, panelBottom, (rightFrom+rightTo)/2, panelBottom+36, note)
}
