package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
	"github.com/cnibench/cnibench/internal/prose"
)

// Series is how one trial went over time. The two lists need not share their
// offsets: they come from the load generator and from the probe.
type Series struct {
	Cell    string
	Variant string
	Block   int
	// Throughput is in Gbit/s, Busy in cores busy on the machine, Retransmits in
	// segments per second.
	Throughput  []Point
	Busy        []Point
	Retransmits []Point
}

// quantity is one of those that are shown over time.
type quantity struct {
	title string
	of    func(Series) []Point
}

var quantitiesOverTime = [...]quantity{
	{"Gbit/s", func(s Series) []Point { return s.Throughput }},
	{"busy cores", func(s Series) []Point { return s.Busy }},
	{"retransmits/s", func(s Series) []Point { return s.Retransmits }},
}

// Point is a value at an offset in seconds from the start of the trial's
// window, by its interval's end. Points that are not finite are left out.
type Point struct {
	Offset float64
	Value  float64
}

// panel shows one quantity of one variant: a line for each block.
type panel struct {
	Title     string
	High, End string // labels of the ends of the axes; both start at 0
	Plot      template.HTML
}

// tile is one variant's panels, one above the other.
type tile struct {
	Variant, Title, Note string
	Panels               []panel
}

// seriesGroup holds the tiles of one cell, which share their axes.
type seriesGroup struct {
	Cell  string
	Tiles []tile
}

const (
	// bytesPerPoint is what a point of a line takes in the file, at most, and
	// bytesPerLine what a line takes besides.
	bytesPerPoint = 10
	bytesPerLine  = 30
	// A line of fewer points than fewestPoints says nothing of its trial; more
	// than mostPoints cannot be told apart in a panel.
	fewestPoints = 4
	mostPoints   = 240
)

// seriesGroups draws the series that belong to the analysis, with so few
// points per line that all lines together stay within a number of bytes. It
// reports false when there is no room for lines worth looking at.
func seriesGroups(a analysis.Analysis, all []Series, budget int) ([]seriesGroup, bool) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y Series) int { return cmp.Compare(x.Block, y.Block) })
	lines := len(quantitiesOverTime) * max(len(all), 1)
	limit := min((budget/lines-bytesPerLine)/bytesPerPoint, mostPoints)
	if limit < fewestPoints {
		return nil, false
	}
	var groups []seriesGroup
	for _, c := range a.Cells {
		var ofCell []Series
		for _, s := range all {
			if s.Cell == c.ID {
				ofCell = append(ofCell, s)
			}
		}
		if len(ofCell) == 0 {
			continue
		}
		g := seriesGroup{Cell: c.ID}
		frame := newFrame(ofCell)
		for _, v := range a.Plan.Variants {
			own := slices.DeleteFunc(slices.Clone(ofCell), func(s Series) bool { return s.Variant != v.Name })
			t := newTile(v.Name, v.Name, own, frame, limit)
			t.Note = "no series"
			if len(own) > 0 {
				t.Note = prose.Plural(len(own), "trial")
			}
			g.Tiles = append(g.Tiles, t)
		}
		groups = append(groups, g)
	}
	return groups, true
}

// frame is the range that all panels of a cell share, from 0. A quantity that
// no trial of the cell has is not measured.
type frame struct {
	seconds  float64
	tops     [len(quantitiesOverTime)]float64
	measured [len(quantitiesOverTime)]bool
}

func newFrame(series []Series) frame {
	var f frame
	for i, q := range quantitiesOverTime {
		for _, s := range series {
			for _, p := range drawable(q.of(s)) {
				f.seconds, f.tops[i], f.measured[i] = larger(f.seconds, p.Offset), larger(f.tops[i], p.Value), true
			}
		}
		f.tops[i] = figure.RoundUp(f.tops[i])
	}
	return f
}

// larger ignores what is not finite.
func larger(a, b float64) float64 {
	if math.IsNaN(b) || math.IsInf(b, 0) {
		return a
	}
	return max(a, b)
}

// newTile draws trials of one variant; without any it has no panels.
func newTile(variant, title string, series []Series, f frame, limit int) tile {
	t := tile{Variant: variant, Title: title}
	for i, q := range quantitiesOverTime {
		if !f.measured[i] || len(series) == 0 {
			continue
		}
		var lines strings.Builder
		for _, s := range series {
			writeLine(&lines, downsample(drawable(q.of(s)), limit), f.seconds, f.tops[i])
		}
		t.Panels = append(t.Panels, newPanel(q.title, title, f.tops[i], f.seconds, lines.String()))
	}
	return t
}

func newPanel(title, variant string, top, seconds float64, lines string) panel {
	label := fmt.Sprintf("%s over time, %s", title, variant)
	return panel{
		Title: title, High: prose.Fixed(top, figure.Decimals(top)), End: prose.Fixed(seconds, decimals(seconds, 2)) + " s",
		Plot: template.HTML(fmt.Sprintf(`<svg class="lines" viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="%s">`+
			`<path class="grid" d="M0 0H1000M0 500H1000M0 1000H1000"/>%s</svg>`, template.HTMLEscapeString(label), lines)),
	}
}

// drawable leaves out what is not finite, and the warm-up: the axes start at
// the window.
func drawable(points []Point) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool {
		return math.IsNaN(p.Value+p.Offset) || math.IsInf(p.Value+p.Offset, 0) || p.Offset < 0
	})
}

// writeLine writes one block's line in thousandths of the panel. A single
// point becomes a short stroke, which would otherwise not be seen.
func writeLine(b *strings.Builder, points []Point, seconds, top float64) {
	if len(points) == 0 {
		return
	}
	b.WriteString(`<polyline points="`)
	for i, p := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		x := math.Round(1000 * p.Offset / max(seconds, 1e-9))
		y := math.Round(1000 * (1 - p.Value/top))
		fmt.Fprintf(b, "%.0f,%.0f", x, y)
		if len(points) == 1 {
			fmt.Fprintf(b, " %.0f,%.0f", x+4, y)
		}
	}
	b.WriteString(`"/>`)
}
