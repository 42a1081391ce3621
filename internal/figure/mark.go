package figure

import (
	"fmt"
	"html/template"
	"unicode/utf8"
)

// marks are the shapes by which lines differ, besides colour and dashes, around
// a place. There are as many as lines that can be told apart in one picture.
var marks = [...]string{
	"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", // a circle
	"M-4-4h8v8h-8z",
	"M0-5.5L5.2 4h-10.4z",
	"M0-5.7L5.7 0L0 5.7L-5.7 0z",
	"M0 5.5L5.2-4h-10.4z",
	"M-1.6-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", // a plus
}

// Overlaid is the number of lines up to which one picture shows all of them.
// Beyond it each has a picture of its own, with the others in grey.
const Overlaid = len(marks)

// class is that of the i-th line.
func class(i int) string { return fmt.Sprintf("k%d", i%Overlaid) }

// alone is the class of a line that has a picture of its own.
const alone = "alone"

// mark draws a shape at a place; the values of the key or, without one, the
// title are shown when it is pointed at.
func (c *Canvas) mark(at Spot, class, shape, key, title string) {
	if shape == marks[0] { // shorter as what it is
		fmt.Fprintf(&c.b, `<circle cx="%s%%" cy="%s" r="4.5" class="mark %s"`, number(at.X), number(at.Y), class)
		c.pointed("circle", key, title)
		return
	}
	fmt.Fprintf(&c.b, `<svg x="%s%%" y="%s" class="%s"><path class="mark" d="%s"`, number(at.X), number(at.Y), class, shape)
	c.pointed("path", key, title)
	c.b.WriteString("</svg>")
}

// keyMark is a piece of the i-th line with its shape.
func keyMark(i int) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="key %s" width="34" height="14" viewBox="-17 -7 34 14" aria-hidden="true"><path class="mid" d="M-17 0h34"/><path class="mark" d="%s"/></svg>`,
		class(i), marks[i%Overlaid]))
}

// shorten cuts a name that is too long for its place.
func shorten(s string, runes int) string {
	if utf8.RuneCountInString(s) <= runes {
		return s
	}
	list := []rune(s)
	return string(list[:runes-1]) + "…"
}
