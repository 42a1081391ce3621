package figure

import (
	"fmt"
	"html"
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
	p := plane{s.X, s.Y, s.XLabel, s.YLabel, scatterHeight}
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
	c.close()
	for _, cloud := range s.Clouds {
		c.cross(p, cloud)
	}
	d := Drawing{Title: s.Title, Note: s.Note}
	for i, cloud := range s.Clouds {
		if cloud.Middle.finite() {
			at := p.at(cloud.Middle.X, cloud.Middle.Y)
			c.Dot(at.X, at.Y, 8.5, "ball", cloud.Title)
			c.Text(at.X, at.Y+4, fmt.Sprint(i+1), "ball-number")
		}
		d.Keys = append(d.Keys, Key{Name: fmt.Sprintf("%d %s", i+1, cloud.Name), Detail: cloud.Detail})
	}
	c.names(p, s.Clouds)
	d.Panels = []Panel{{SVG: c.HTML()}}
	return d
}

// cross draws the intervals of both values.
func (c *Canvas) cross(p plane, cloud Cloud) {
	if !cloud.Middle.finite() {
		return
	}
	at := p.at(cloud.Middle.X, cloud.Middle.Y)
	if finite(cloud.Low.X) && finite(cloud.High.X) {
		c.Line(p.at(cloud.Low.X, 0).X, at.Y, p.at(cloud.High.X, 0).X, at.Y, "arm")
	}
	if finite(cloud.Low.Y) && finite(cloud.High.Y) {
		c.Line(at.X, p.at(0, cloud.Low.Y).Y, at.X, p.at(0, cloud.High.Y).Y, "arm")
	}
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

// namePlace is where a name may stand beside a mark.
type namePlace struct {
	dx, dy float64
	class  string
	box
}

// namePlaces are the right, the left, below and above, the best first.
func namePlaces(at Spot, name string) []namePlace {
	x, half := at.X/100*nominalWidth, 3.4*float64(len([]rune(name)))
	return []namePlace{
		{13, 4, "start", box{x + 12, x + 13 + 2*half, at.Y - 8, at.Y + 8}},
		{-13, 4, "left", box{x - 13 - 2*half, x - 12, at.Y - 8, at.Y + 8}},
		{0, 24, "centre", box{x - half, x + half, at.Y + 11, at.Y + 28}},
		{0, -15, "centre", box{x - half, x + half, at.Y - 28, at.Y - 11}},
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
		at, name := p.at(cloud.Middle.X, cloud.Middle.Y), shorten(cloud.Name, endRunes)
		for _, n := range namePlaces(at, name) {
			if n.left < inside.left || n.right > inside.right || n.top < inside.top || n.bottom > inside.bottom || slices.ContainsFunc(taken, n.meets) {
				continue
			}
			taken = append(taken, n.box)
			fmt.Fprintf(&c.b, `<text x="%s%%" dx="%s" y="%s" class="ball-name %s">%s</text>`,
				number(at.X), number(n.dx), number(at.Y+n.dy), n.class, html.EscapeString(name))
			break
		}
	}
}
