package figure

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// Drawing is a figure of one or more pictures that share their axes.
type Drawing struct {
	Title, Note string
	// Keys say which line or mark is what, where the picture does not.
	Keys   []Key
	Panels []Panel
	// Labelled says that names stand at the right of the picture, which then
	// needs room there.
	Labelled bool
}

// Panel is one picture; Name is empty where there is only one.
type Panel struct {
	Name string
	SVG  template.HTML
}

// Key explains one mark.
type Key struct {
	Mark         template.HTML
	Name, Detail string
}

// plane maps values to places in a picture with two axes.
type plane struct {
	x, y           Axis
	xLabel, yLabel string
	height         int // of the plot itself, in pixels
	// small planes have no minor labels.
	small bool
}

const (
	planeTop    = 24 // room for the vertical axis' label
	planeBottom = 40 // room for the horizontal axis' labels
	planeEdge   = 8  // between the ends of an axis and the frame
	sideEdge    = 2  // the same at the sides, in per cent
)

func (p plane) total() int { return planeTop + p.height + planeBottom }

// at returns the place of a value.
func (p plane) at(x, y float64) Spot {
	room := float64(p.height - 2*planeEdge)
	return Spot{sideEdge + (100-2*sideEdge)*p.x.share(x), planeTop + planeEdge + room*(1-p.y.share(y))}
}

// frame draws grid, ticks and labels, in a group of their own: its numbers are
// a scale and no data.
func (p plane) frame(c *Canvas) {
	c.b.WriteString(`<g class="axis">`)
	bottom := float64(planeTop + p.height)
	for _, t := range p.y.Ticks {
		y := p.at(0, t.Value).Y
		c.Line(0, y, 100, y, "grid")
		fmt.Fprintf(&c.b, `<text x="-8" y="%s" class="tick-label">`, number(y+4))
		c.b.WriteString(html.EscapeString(t.Label) + "</text>")
	}
	for _, t := range p.x.Ticks {
		x := sideEdge + (100-2*sideEdge)*p.x.share(t.Value)
		c.Line(x, bottom, x, bottom+4, "tick")
		switch {
		case !t.Minor:
			c.Text(x, bottom+17, t.Label, "tick-label under")
		case !p.small:
			c.Text(x, bottom+17, t.Label, "tick-label under minor-tick")
		}
	}
	c.Line(0, bottom, 100, bottom, "tick")
	c.Text(50, bottom+35, p.xLabel, "")
	fmt.Fprintf(&c.b, `<text x="-52" y="12" class="axis-label">%s</text>`, html.EscapeString(p.yLabel))
	c.b.WriteString("</g>")
}

// stretch begins a part, as large as the picture, whose horizontal unit is a
// thousandth of the width, for paths; its end must be closed.
func (c *Canvas) stretch() {
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 1000 %d" preserveAspectRatio="none" class="s">`, c.height)
}

func (c *Canvas) close() { c.b.WriteString("</svg>") }

// path draws what trace returned, and nothing for nothing.
func (c *Canvas) path(d, class string) {
	if d != "" {
		fmt.Fprintf(&c.b, `<path class="%s" d="%s"/>`, class, d)
	}
}

// trace is a line through places as a path of a stretched part.
func trace(spots []Spot) string {
	var b strings.Builder
	for i, s := range spots {
		command := "L"
		switch i {
		case 0:
			command = "M"
		case 1:
		default:
			command = " "
		}
		fmt.Fprintf(&b, "%s%.0f %.0f", command, 10*s.X, s.Y)
	}
	return b.String()
}

// points are dots as a path of strokes without length, whose round ends show.
// Of those at one place, which is drawn once however often it is in a path, the
// first is written.
func points(spots []Spot) string {
	var b strings.Builder
	written := map[string]bool{}
	for _, s := range spots {
		if dot := fmt.Sprintf("M%.0f %.0fh0", 10*s.X, s.Y); !written[dot] {
			written[dot] = true
			b.WriteString(dot)
		}
	}
	return b.String()
}
