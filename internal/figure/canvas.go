package figure

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
)

// Canvas draws one picture as SVG. Horizontal places are per cent of the width,
// vertical ones pixels.
type Canvas struct {
	b      strings.Builder
	height int
}

// NewCanvas starts a picture of a height in pixels. It is hidden from readers of
// the page aloud: what stands around it must say the same in words.
func NewCanvas(height int) *Canvas {
	c := &Canvas{height: height}
	fmt.Fprintf(&c.b, `<svg width="100%%" height="%d" aria-hidden="true">`, height)
	return c
}

// newPicture starts a picture that says itself what it shows. The id must be
// unique in the page.
func newPicture(height int, id, title, description string) *Canvas {
	c := &Canvas{height: height}
	fmt.Fprintf(&c.b, `<svg class="xy" width="100%%" height="%d" role="img" aria-labelledby="%[2]s-t %[2]s-d"><title id="%[2]s-t">%[3]s</title><desc id="%[2]s-d">%[4]s</desc>`,
		height, html.EscapeString(id), html.EscapeString(title), html.EscapeString(description))
	return c
}

// number formats a coordinate with at most one decimal, which is finer than a
// screen.
func number(x float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
}

// Line draws a straight line.
func (c *Canvas) Line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.b, `<line x1="%s%%" y1="%s" x2="%s%%" y2="%s" class="%s"/>`, number(x1), number(y1), number(x2), number(y2), class)
}

// Rect draws from x1 to x2 over the given height; title, if not empty, is shown
// when it is pointed at.
func (c *Canvas) Rect(x1, x2, y, height float64, class, title string) {
	c.rect(x1, x2, y, height, class)
	c.end("rect", title)
}

// rect leaves its element open.
func (c *Canvas) rect(x1, x2, y, height float64, class string) {
	fmt.Fprintf(&c.b, `<rect x="%s%%" y="%s" width="%s%%" height="%s" class="%s"`, number(x1), number(y), number(x2-x1), number(height), class)
}

// Dot draws a circle; title, if not empty, is shown when it is pointed at.
func (c *Canvas) Dot(x, y, radius float64, class, title string) {
	fmt.Fprintf(&c.b, `<circle cx="%s%%" cy="%s" r="%s"`, number(x), number(y), number(radius))
	if class != "" {
		fmt.Fprintf(&c.b, ` class="%s"`, class)
	}
	c.end("circle", title)
}

// end ends an element, with its title.
func (c *Canvas) end(name, title string) {
	if title == "" {
		c.b.WriteString("/>")
		return
	}
	fmt.Fprintf(&c.b, "><title>%s</title></%s>", html.EscapeString(title), name)
}

// pointed ends an element with what is shown when it is pointed at: the values
// that the page has under a key, or a title.
func (c *Canvas) pointed(name, key, title string) {
	if key == "" {
		c.end(name, title)
		return
	}
	fmt.Fprintf(&c.b, ` data-k="%s"/>`, html.EscapeString(key))
}

// Spot is a place: per cent of the width, and pixels.
type Spot struct{ X, Y float64 }

// Dots draws many circles as one path of strokes without length, whose round
// ends are the dots: a fifth of the bytes of circles, but without titles.
func (c *Canvas) Dots(spots []Spot, class string) {
	// It is as large as what it is in.
	fmt.Fprintf(&c.b, `<svg viewBox="0 0 1000 %d" preserveAspectRatio="none" class="dots"><path class="%s" d="`, c.height, class)
	c.b.WriteString(points(spots))
	c.b.WriteString(`"/></svg>`)
}

// Text writes around a place; its class may say otherwise.
func (c *Canvas) Text(x, y float64, s, class string) {
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(&c.b, `<text x="%s%%" y="%s"%s>%s</text>`, number(x), number(y), class, html.EscapeString(s))
}

// Use draws the grid that an axis of the same chart defines.
func (c *Canvas) Use(id string) { fmt.Fprintf(&c.b, `<use href="#%s"/>`, html.EscapeString(id)) }

// Define keeps what draw draws under an id, for Use.
func (c *Canvas) Define(id string, draw func()) {
	fmt.Fprintf(&c.b, `<defs><g id="%s">`, html.EscapeString(id))
	draw()
	c.b.WriteString("</g></defs>")
}

// HTML ends the picture. All text in it has been escaped.
func (c *Canvas) HTML() template.HTML { return template.HTML(c.b.String() + "</svg>") }
