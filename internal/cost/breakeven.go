package cost

import (
	"math"
	"slices"

	"github.com/cnibench/cnibench/internal/stats"
)

// What a break-even is by.
const (
	ByNodes    = "nodes"
	ByRequests = "requests"
)

// dimension is what a line is followed over.
type dimension struct {
	name      string
	low, high float64
	whole     bool
	at        func(l Line, x float64) float64
	slope     func(l Line) float64
}

// dimensions are the size of the cluster at the volume of requests that the
// prices say, and the volume at its size.
func (p Prices) dimensions(nodes int) []dimension {
	return []dimension{
		{ByNodes, 1, maxNodes, true,
			func(l Line, x float64) float64 { return l.At(1, p.Workload.Requests) + l.PerNode*(x-1) },
			func(l Line) float64 { return l.PerNode }},
		{ByRequests, 1, 1e15, false,
			func(l Line, x float64) float64 { return l.At(nodes, x) },
			func(l Line) float64 { return l.PerRequest }},
	}
}

// grid are the places that are looked at first: close enough that nothing of a
// pair of lines is missed between two of them.
func (d dimension) grid() []float64 {
	const perDecade = 8
	var xs []float64
	steps := int(math.Round(perDecade * math.Log10(d.high/d.low)))
	for i := range steps + 1 {
		x := d.low * math.Pow(10, float64(i)/perDecade)
		if d.whole {
			x = math.Round(x)
		}
		xs = append(xs, min(x, d.high))
	}
	return slices.Compact(xs)
}

// between narrows the place where a property that holds at good and not at bad
// ends, and returns the last place known to have it.
func (d dimension) between(good, bad float64, holds func(x float64) bool) float64 {
	for range 60 {
		middle := math.Sqrt(good * bad)
		if d.whole {
			middle = math.Floor((good + bad) / 2)
		}
		if middle == good || middle == bad || math.Abs(bad/good-1) < 1e-9 {
			break
		}
		if holds(middle) {
			good = middle
		} else {
			bad = middle
		}
	}
	return good
}

// course is how the difference of two lines goes over a dimension: 1 where it
// is shown to be above the margin, −1 where it is shown to be below it, 0
// elsewhere.
type course struct {
	first, last   int
	upTo, from    *float64 // where first ends, and last begins
	always        bool
	crossing      *float64
	estimateFirst int // the same of the estimates at both ends
	estimateLast  int
	crossings     int
}

// follow looks at the differences of two variants' lines over a dimension:
// whether they are shown to be more than the margin.
func (d dimension) follow(lines []blockLine, margin Line, e estimator) (course, error) {
	var failure error
	values := func(x float64, of func(blockLine) Line) []float64 {
		var xs []float64
		for _, l := range lines {
			xs = append(xs, d.at(of(l), x))
		}
		return xs
	}
	shown := func(x float64) int {
		m, above, below := d.at(margin, x), 0.0, 0.0
		for _, part := range e.tested() {
			a, err := stats.PAtMost(values(x, part), m)
			if err != nil {
				failure = err
				return 0
			}
			b, err := stats.PAtLeast(values(x, part), -m)
			if err != nil {
				failure = err
			}
			above, below = max(above, a), max(below, b)
		}
		return sign(above, below)
	}
	estimated := func(x float64) int {
		h, err := stats.HodgesLehmann(values(x, blockLine.sum))
		if err != nil {
			failure = err
		}
		return cmpZero(h)
	}
	c := d.crossings(estimated)
	xs := d.grid()
	signs := make([]int, len(xs))
	for i, x := range xs {
		signs[i] = shown(x)
	}
	c.ends(d, xs, signs, shown)
	return c, failure
}

// sign is that of what is shown at the level of verdicts.
func sign(above, below float64) int {
	switch {
	case above <= stats.VerdictAlpha:
		return 1
	case below <= stats.VerdictAlpha:
		return -1
	}
	return 0
}

func cmpZero(x float64) int {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// ends finds how far what is shown at both ends of the range reaches.
func (c *course) ends(d dimension, xs []float64, signs []int, shown func(float64) int) {
	c.first, c.last = signs[0], signs[len(signs)-1]
	other := slices.IndexFunc(signs, func(s int) bool { return s != c.first })
	if other < 0 {
		c.always = c.first != 0
		return
	}
	if c.first != 0 {
		x := d.between(xs[other-1], xs[other], func(x float64) bool { return shown(x) == c.first })
		c.upTo = &x
	}
	if c.last != 0 {
		i := len(signs) - 1
		for signs[i] == c.last {
			i--
		}
		x := d.between(xs[i+1], xs[i], func(x float64) bool { return shown(x) == c.last })
		c.from = &x
	}
}

// crossings finds where the estimates of both variants are equal.
func (d dimension) crossings(estimated func(float64) int) course {
	c, before, at := course{}, 0, 0.0
	for _, x := range d.grid() {
		s := estimated(x)
		if s == 0 {
			continue
		}
		if before != 0 && s != before {
			c.crossings++
			last := d.between(at, x, func(x float64) bool { return estimated(x) == before })
			if d.whole {
				last++ // the first size at which the other is the cheaper
			}
			c.crossing = &last
		}
		if c.estimateFirst == 0 {
			c.estimateFirst = s
		}
		before, at = s, x
	}
	c.estimateLast = before
	if c.crossings > 1 {
		c.crossing = nil
	}
	return c
}

// breakEvens follows every comparable pair over both dimensions.
func breakEvens(p Prices, variants []Variant, against Variant, e estimator) ([]BreakEven, error) {
	list := []BreakEven{}
	for _, v := range rivals(variants, against.Name) {
		if comparable(against, v) != "" {
			continue
		}
		lines, err := differences(against, v, e)
		if err != nil {
			return nil, err
		}
		if len(lines) == 0 {
			continue
		}
		for _, d := range p.dimensions(v.Nodes) {
			b, err := d.breakEven(against.Name, v.Name, lines, larger(against, v), e)
			if err != nil {
				return nil, err
			}
			list = append(list, b)
		}
	}
	return list, nil
}

func (d dimension) breakEven(against, variant string, lines []blockLine, margin Line, e estimator) (BreakEven, error) {
	b := BreakEven{Against: against, Variant: variant, By: d.name}
	if !slices.ContainsFunc(lines, func(l blockLine) bool { return d.slope(l.line) != 0 }) {
		b.Answer = d.parallel()
		return b, nil
	}
	c, err := d.follow(lines, margin, e)
	if err != nil {
		return b, err
	}
	name := map[int]string{1: variant, -1: against}
	if e.loose {
		b.Crossing, b.Answer = c.crossing, d.unproven(c, name)
		return b, nil
	}
	b.Crossing, b.Small, b.UpTo, b.Large, b.From, b.Always = c.crossing, name[c.first], c.upTo, name[c.last], c.from, c.always
	b.Answer = d.answer(b, c, name)
	return b, nil
}
