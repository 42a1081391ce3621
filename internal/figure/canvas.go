package report

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// canvas draws one plot as SVG. Horizontal places are per cent of the width
// and vertical ones are pixels, so that a plot fills whatever width there is
// while its dots, lines and letters keep their size: readable on paper and on
// a phone without a script.
type canvas struct {
	b strings.Builder
}

// newCanvas starts a plot of a height in pixels. It is hidden from readers of
// the page aloud: the row around it says the same in words.
func newCanvas(height int) *canvas {
	c := &canvas{}
	fmt.Fprintf(&c.b, `<svg width="100%%" height="%d" aria-hidden="true">`, height)
	return c
}

// number formats a coordinate with at most one decimal, which is finer than a
// screen.
func number(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.b, `<line x1="%s%%" y1="%s" x2="%s%%" y2="%s" class="%s"/>`, number(x1), number(y1), number(x2), number(y2), class)
}

// rect draws from x1 to x2 over the given height.
func (c *canvas) rect(x1, x2, y, height float64, class string) {
	fmt.Fprintf(&c.b, `<rect x="%s%%" y="%s" width="%s%%" height="%s" class="%s"/>`, number(x1), number(y), number(x2-x1), number(height), class)
}

// dot draws a circle; title, if not empty, is shown when it is pointed at.
func (c *canvas) dot(x, y, radius float64, class, title string) {
	fmt.Fprintf(&c.b, `<circle cx="%s%%" cy="%s" r="%s"`, number(x), number(y), number(radius))
	if class != "" {
		fmt.Fprintf(&c.b, ` class="%s"`, class)
	}
	if title == "" {
		c.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></circle>", html.EscapeString(title))
}

// spot is the place of a dot: per cent of the width, and pixels.
type spot struct{ x, y float64 }

// dots draws many circles as one path of strokes without length, whose round
// ends are the dots: a fifth of the bytes of circles, but without titles.
func (c *canvas) dots(spots []spot, class string) {
	fmt.Fprintf(&c.b, `<svg width="100%%" height="%d" viewBox="0 0 1000 %d" preserveAspectRatio="none" class="dots"><path class="%s" d="`, rowHeight, rowHeight, class)
	for _, s := range spots {
		fmt.Fprintf(&c.b, "M%.0f %.0fh0", 10*s.x, s.y)
	}
	c.b.WriteString(`"/></svg>`)
}

func (c *canvas) text(x, y float64, s string) {
	fmt.Fprintf(&c.b, `<text x="%s%%" y="%s">%s</text>`, number(x), number(y), html.EscapeString(s))
}

// use draws the grid that an axis of the same chart defines.
func (c *canvas) use(id string) { fmt.Fprintf(&c.b, `<use href="#%s"/>`, id) }

// html ends the plot. All text in it has been escaped.
func (c *canvas) html() template.HTML { return template.HTML(c.b.String() + "</svg>") }
