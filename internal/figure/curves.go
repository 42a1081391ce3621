package figure

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Curves are lines over a common axis: one per thing that is compared, each
// with the repetitions that it was made of.
type Curves struct {
	// ID is unique in the page.
	ID string
	// Description says in words what the picture shows; the lines' words follow.
	Title, Description, Note string
	X, Y                     Axis
	XLabel, YLabel           string
	Lines                    []Line
}

// Line is one thing that is compared.
type Line struct {
	Name string
	// Words are its main values, for who does not see it.
	Words  string
	Points []CurvePoint // with rising X
	// Traces are the repetitions as lines, Dots as single values.
	Traces [][]XY
	Dots   []XY
}

// CurvePoint is a value of a line with its interval; Low and High are NaN where
// it has none. A point whose Y is NaN is a value that is missing. Title is shown
// when it is pointed at; a point without a title and without a key has no mark.
type CurvePoint struct {
	X, Y, Low, High float64
	Title           string
	// Key names values that the page has, to be shown instead of the title.
	Key string
}

// XY is a value over another.
type XY struct{ X, Y float64 }

func (p XY) finite() bool { return finite(p.X) && finite(p.Y) }

const (
	curveHeight = 260
	tileHeight  = 130
	endRunes    = 24 // of a name at the end of its line
	endSpacing  = 15 // between such names, in pixels
)

// Draw draws all lines in one picture, or each in its own where they are too
// many to be told apart.
func (c Curves) Draw() Drawing {
	d := Drawing{Title: c.Title, Note: c.Note}
	if len(c.Lines) <= Overlaid {
		d.Labelled = true
		d.Panels = []Panel{{SVG: c.overlaid().HTML()}}
		for i, l := range c.Lines {
			d.Keys = append(d.Keys, Key{Mark: keyMark(i), Name: l.Name})
		}
		return d
	}
	for i, l := range c.Lines {
		d.Panels = append(d.Panels, Panel{Name: l.Name, SVG: c.single(i).HTML()})
	}
	return d
}

func (c Curves) overlaid() *Canvas {
	p := plane{c.X, c.Y, c.XLabel, c.YLabel, curveHeight, false}
	words := []string{c.Description}
	for _, l := range c.Lines {
		words = append(words, l.said())
	}
	k := newPicture(p.total(), c.ID, c.Title, strings.Join(words, " "))
	p.frame(k)
	k.stretch()
	for i, l := range c.Lines {
		k.back(p, l, class(i))
	}
	for i, l := range c.Lines {
		k.path(p.course(l), class(i)+" mid")
	}
	k.close()
	for i, l := range c.Lines {
		k.marksOf(p, l, class(i), marks[i])
	}
	k.ends(p, c.Lines)
	return k
}

// single draws one line before all others in grey. The first picture defines
// what all have in common.
func (c Curves) single(i int) *Canvas {
	p := plane{c.X, c.Y, c.XLabel, c.YLabel, tileHeight, true}
	l := c.Lines[i]
	k := newPicture(p.total(), fmt.Sprintf("%s-%d", c.ID, i), c.Title+": "+l.Name, c.Description+" "+l.said())
	frame, all := c.ID+"-frame", c.ID+"-all"
	if i == 0 {
		k.Define(frame, func() { p.frame(k) })
		var d strings.Builder
		for _, other := range c.Lines {
			d.WriteString(p.course(other))
		}
		k.Define(all, func() { k.path(d.String(), "ghost") })
	}
	k.Use(frame)
	k.stretch()
	k.Use(all)
	k.back(p, l, alone)
	k.path(p.course(l), alone+" mid")
	k.close()
	k.marksOf(p, l, alone, marks[0])
	return k
}

// said is a line in words.
func (l Line) said() string {
	if l.Words == "" {
		return l.Name + ": no value."
	}
	return l.Name + ": " + l.Words + "."
}

// medians are the places of a line's points.
func (p plane) medians(l Line) []Spot {
	var spots []Spot
	for _, m := range l.Points {
		if (XY{m.X, m.Y}).finite() {
			spots = append(spots, p.at(m.X, m.Y))
		}
	}
	return spots
}

// course is the line through a line's points, which a point without a value
// interrupts.
func (p plane) course(l Line) string {
	var b strings.Builder
	var run []Spot
	for _, m := range l.Points {
		if (XY{m.X, m.Y}).finite() {
			run = append(run, p.at(m.X, m.Y))
			continue
		}
		b.WriteString(trace(run))
		run = nil
	}
	return b.String() + trace(run)
}

// back draws what lies behind a line: the band of its intervals and its
// repetitions.
func (c *Canvas) back(p plane, l Line, class string) {
	c.path(p.band(l.Points), class+" span")
	var traces strings.Builder
	for _, one := range l.Traces {
		traces.WriteString(trace(p.places(one)))
	}
	c.path(traces.String(), class+" trace")
	c.path(points(p.places(l.Dots)), class+" block")
}

func (p plane) places(values []XY) []Spot {
	var spots []Spot
	for _, v := range values {
		if v.finite() {
			spots = append(spots, p.at(v.X, v.Y))
		}
	}
	return spots
}

// band surrounds the intervals of neighbours; a point without one interrupts
// it.
func (p plane) band(list []CurvePoint) string {
	var b strings.Builder
	var low, high []Spot
	flush := func() {
		if len(high) > 1 {
			slices.Reverse(low)
			b.WriteString(trace(append(high, low...)) + "z")
		}
		low, high = nil, nil
	}
	for _, m := range list {
		if !finite(m.X) || !finite(m.Low) || !finite(m.High) {
			flush()
			continue
		}
		low, high = append(low, p.at(m.X, m.Low)), append(high, p.at(m.X, m.High))
	}
	flush()
	return b.String()
}

// marksOf draws the points of a line and, where a point has no neighbour to
// form a band with, its interval.
func (c *Canvas) marksOf(p plane, l Line, class, shape string) {
	for _, m := range l.Points {
		if !(XY{m.X, m.Y}).finite() {
			continue
		}
		at := p.at(m.X, m.Y)
		if len(l.Points) == 1 && finite(m.Low) && finite(m.High) {
			c.Line(at.X, p.at(m.X, m.Low).Y, at.X, p.at(m.X, m.High).Y, class+" reach")
		}
		if m.Title != "" || m.Key != "" {
			c.mark(at, class, shape, m.Key, m.Title)
		}
	}
}

// ends names the lines at their right ends, apart from each other.
func (c *Canvas) ends(p plane, lines []Line) {
	type end struct {
		line int
		y    float64
	}
	var list []end
	for i, l := range lines {
		if spots := p.medians(l); len(spots) > 0 {
			list = append(list, end{i, spots[len(spots)-1].Y})
		}
	}
	slices.SortStableFunc(list, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	places := make([]float64, len(list))
	for i, e := range list {
		places[i] = e.y
	}
	spread(places, endSpacing, planeTop, float64(planeTop+p.height))
	for i, e := range list {
		fmt.Fprintf(&c.b, `<text x="100%%" dx="10" y="%s" class="name-end %s">%s</text>`,
			number(places[i]+4), class(e.line), html.EscapeString(shorten(lines[e.line].Name, endRunes)))
	}
}

// spread moves sorted places apart until each is at least a distance from the
// next, within bounds where there is room.
func spread(places []float64, distance, low, high float64) {
	for i := range places {
		if i > 0 {
			places[i] = max(places[i], places[i-1]+distance)
		}
		places[i] = max(places[i], low)
	}
	limit := high
	for i := len(places) - 1; i >= 0; i-- {
		places[i] = max(min(places[i], limit), low)
		limit = places[i] - distance
	}
}
