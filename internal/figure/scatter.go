package figure

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
)

// Scatter shows things by two values, with the repetitions behind both.
type Scatter struct {
	// ID is unique in the page.
	ID                       string
	Title, Description, Note string
	X, Y                     Axis
	XLabel, YLabel           string
	Clouds                   []Cloud
	// Groups are sets of clouds, by index, that belong together: each is
	// enclosed.
	Groups [][]int
	// Levels are values of the vertical axis without one of the horizontal.
	Levels []Level
}

// Cloud is one thing. Low and High are the ends of the intervals of Middle, NaN
// where it has none.
type Cloud struct {
	Name, Detail string
	Dots         []XY
	Middle       XY
	Low, High    XY
	Title        string // shown when the middle is pointed at
}

// Level is a labelled value of the vertical axis.
type Level struct {
	Value float64
	Label string
}

const scatterHeight = 340

// Draw draws the plot. Clouds carry their number, which the keys explain.
func (s Scatter) Draw() Drawing {
	p := plane{s.X, s.Y, s.XLabel, s.YLabel, scatterHeight, false}
	c := newPicture(p.total(), s.ID, s.Title, s.Description)
	p.frame(c)
	for _, l := range s.Levels {
		y := p.at(0, l.Value).Y
		c.Line(0, y, 100, y, "level")
		c.Text(99, y-5, l.Label, "level-name")
	}
	for _, g := range s.Groups {
		c.enclose(p, s.Clouds, g)
	}
	c.stretch()
	var dots strings.Builder
	for _, cloud := range s.Clouds {
		dots.WriteString(points(p.places(cloud.Dots)))
	}
	c.path(dots.String(), "cloud")
	var crosses strings.Builder
	for _, cloud := range s.Clouds {
		crosses.WriteString(p.cross(cloud))
	}
	c.path(crosses.String(), "arm")
	c.close()
	d := Drawing{Title: s.Title, Note: s.Note}
	for i, cloud := range s.Clouds {
		if cloud.Middle.finite() {
			at := p.at(cloud.Middle.X, cloud.Middle.Y)
			c.Dot(at.X, at.Y, 9, "ball", cloud.Title)
			c.Text(at.X, at.Y+4, fmt.Sprint(i+1), "ball-number")
		}
		d.Keys = append(d.Keys, Key{Mark: template.HTML(fmt.Sprintf(`<b class="ball-key">%d</b>`, i+1)), Name: cloud.Name, Detail: cloud.Detail})
	}
	c.names(p, s.Clouds)
	d.Panels = []Panel{{SVG: c.HTML()}}
	return d
}

// cross is the intervals of both values as a path of a stretched part.
func (p plane) cross(cloud Cloud) string {
	if !cloud.Middle.finite() {
		return ""
	}
	at, path := p.at(cloud.Middle.X, cloud.Middle.Y), ""
	if finite(cloud.Low.X) && finite(cloud.High.X) {
		path += fmt.Sprintf("M%.0f %sH%.0f", 10*p.at(cloud.Low.X, 0).X, number(at.Y), 10*p.at(cloud.High.X, 0).X)
	}
	if finite(cloud.Low.Y) && finite(cloud.High.Y) {
		path += fmt.Sprintf("M%.0f %sV%s", 10*at.X, number(p.at(0, cloud.Low.Y).Y), number(p.at(0, cloud.High.Y).Y))
	}
	return path
}

// enclose draws a frame around the middles and intervals of a group.
func (c *Canvas) enclose(p plane, clouds []Cloud, group []int) {
	var xs, ys []float64
	for _, i := range group {
		for _, v := range []XY{clouds[i].Middle, clouds[i].Low, clouds[i].High} {
			if finite(v.X) {
				xs = append(xs, p.at(v.X, 0).X)
			}
			if finite(v.Y) {
				ys = append(ys, p.at(0, v.Y).Y)
			}
		}
	}
	left, right, wide := bounds(xs)
	top, bottom, high := bounds(ys)
	if !wide || !high {
		return
	}
	const aside, above = 2.2, 14 // per cent and pixels beyond the marks
	left, right = max(left-aside, 0), min(right+aside, 100)
	top, bottom = max(top-above, planeTop), min(bottom+above, float64(planeTop+p.height))
	fmt.Fprintf(&c.b, `<rect x="%s%%" y="%s" width="%s%%" height="%s" rx="14" class="equals"/>`,
		number(left), number(top), number(right-left), number(bottom-top))
}

// nominalWidth is that of a plot on a screen, in pixels, by which names are
// placed; on a phone only numbers are shown.
const nominalWidth = 720

// box is a place that is taken, in pixels.
type box struct{ left, right, top, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// namePlace is where a name may stand: at a place, and so many pixels from it.
type namePlace struct {
	at     Spot
	dx, dy float64
	class  string
	box
}

// namePlaces are beyond the right, the left, the lower and the upper end of a
// cross, the best first.
func (p plane) namePlaces(cloud Cloud, name string) []namePlace {
	at := p.at(cloud.Middle.X, cloud.Middle.Y)
	right, left, below, above := at.X, at.X, at.Y, at.Y
	if finite(cloud.Low.X) && finite(cloud.High.X) {
		left, right = p.at(cloud.Low.X, 0).X, p.at(cloud.High.X, 0).X
	}
	if finite(cloud.Low.Y) && finite(cloud.High.Y) {
		below, above = p.at(0, cloud.Low.Y).Y, p.at(0, cloud.High.Y).Y
	}
	const ball = 9
	x := func(share float64) float64 { return share / 100 * nominalWidth }
	left, right = min(left, at.X-100*ball/nominalWidth), max(right, at.X+100*ball/nominalWidth)
	below, above = max(below, at.Y+ball), min(above, at.Y-ball)
	half := 3.5 * float64(len([]rune(name)))
	return []namePlace{
		{Spot{right, at.Y}, 5, 4, "start", box{x(right) + 2, x(right) + 5 + 2*half, at.Y - 7, at.Y + 7}},
		{Spot{left, at.Y}, -5, 4, "left", box{x(left) - 5 - 2*half, x(left) - 2, at.Y - 7, at.Y + 7}},
		{Spot{at.X, below}, 0, 14, "centre", box{x(at.X) - half, x(at.X) + half, below + 2, below + 17}},
		{Spot{at.X, above}, 0, -6, "centre", box{x(at.X) - half, x(at.X) + half, above - 17, above - 2}},
	}
}

// names writes each cloud's name beside its middle where there is room.
func (c *Canvas) names(p plane, clouds []Cloud) {
	var taken []box
	for _, cloud := range clouds {
		if cloud.Middle.finite() {
			at := p.at(cloud.Middle.X, cloud.Middle.Y)
			x := at.X / 100 * nominalWidth
			taken = append(taken, box{x - 9, x + 9, at.Y - 9, at.Y + 9})
		}
	}
	inside := box{0, nominalWidth, planeTop, float64(planeTop + p.height)}
	for _, cloud := range clouds {
		if !cloud.Middle.finite() {
			continue
		}
		name := shorten(cloud.Name, endRunes)
		for _, n := range p.namePlaces(cloud, name) {
			if n.left < inside.left || n.right > inside.right || n.top < inside.top || n.bottom > inside.bottom || slices.ContainsFunc(taken, n.meets) {
				continue
			}
			taken = append(taken, n.box)
			fmt.Fprintf(&c.b, `<text x="%s%%" dx="%s" y="%s" class="ball-name %s">%s</text>`,
				number(n.at.X), number(n.dx), number(n.at.Y+n.dy), n.class, html.EscapeString(name))
			break
		}
	}
}
