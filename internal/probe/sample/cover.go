package sample

import (
	"errors"
	"fmt"
	"sort"
	"time"
)

// cover is the run of samples that encloses a window: the first is the last
// one at or before its start, the last the first one at or after its end.
type cover struct {
	samples []Sample
	window  Window
}

// coverWindow picks the samples that enclose w out of s.
func coverWindow(s Series, w Window) (cover, error) {
	if !w.Start.Before(w.End) {
		return cover{}, fmt.Errorf("window %v is empty", w)
	}
	if len(s.Samples) == 0 {
		return cover{}, errors.New("series has no samples")
	}
	for i := 1; i < len(s.Samples); i++ {
		if !s.Samples[i-1].At.Before(s.Samples[i].At) {
			return cover{}, fmt.Errorf("sample %d is not later than the one before it: the clock was set back", i+1)
		}
	}
	after := func(t time.Time) int { // index of the first sample after t
		return sort.Search(len(s.Samples), func(i int) bool { return s.Samples[i].At.After(t) })
	}
	first := after(w.Start) - 1
	last := sort.Search(len(s.Samples), func(i int) bool { return !s.Samples[i].At.Before(w.End) })
	if first < 0 || last == len(s.Samples) {
		span := Window{s.Samples[0].At, s.Samples[len(s.Samples)-1].At}
		return cover{}, fmt.Errorf("window %v is not covered by samples, which span %v", w, span)
	}
	return cover{samples: s.Samples[first : last+1], window: w}, nil
}

// at returns v at t, linearly interpolated between the samples around it.
func (c cover) at(t time.Time, v func(*Sample) float64) float64 {
	i := sort.Search(len(c.samples), func(i int) bool { return !c.samples[i].At.Before(t) })
	if i == 0 {
		return v(&c.samples[0])
	}
	before, after := &c.samples[i-1], &c.samples[i]
	fraction := float64(t.Sub(before.At)) / float64(after.At.Sub(before.At))
	return v(before) + fraction*(v(after)-v(before))
}

// rate is the growth of a counter over the window, per second.
func (c cover) rate(v func(*Sample) float64) float64 {
	growth := c.at(c.window.End, v) - c.at(c.window.Start, v)
	return growth / c.window.Duration().Seconds()
}

// monotone reports an error if the counter v ever falls.
func (c cover) monotone(name string, v func(*Sample) float64) error {
	for i := 1; i < len(c.samples); i++ {
		if before, after := v(&c.samples[i-1]), v(&c.samples[i]); after < before {
			return fmt.Errorf("%s fell from %v to %v between samples", name, before, after)
		}
	}
	return nil
}

// gauge returns the time-weighted mean of v over the window and its maximum.
func (c cover) gauge(v func(*Sample) float64) Gauge {
	at, value := c.window.Start, c.at(c.window.Start, v)
	g := Gauge{Max: value}
	// Above the first value, so that the mean of a constant is that constant.
	first, area := value, 0.0
	step := func(t time.Time, next float64) {
		area += ((value - first) + (next - first)) / 2 * t.Sub(at).Seconds()
		g.Max = max(g.Max, next)
		at, value = t, next
	}
	for i := range c.samples {
		if s := &c.samples[i]; s.At.After(c.window.Start) && s.At.Before(c.window.End) {
			step(s.At, v(s))
		}
	}
	step(c.window.End, c.at(c.window.End, v))
	g.Mean = min(g.Max, first+area/c.window.Duration().Seconds())
	return g
}

// largestGap is the longest time between two neighbouring samples.
func (c cover) largestGap() time.Duration {
	var gap time.Duration
	for i := 1; i < len(c.samples); i++ {
		gap = max(gap, c.samples[i].At.Sub(c.samples[i-1].At))
	}
	return gap
}

// clockStep is the most by which the wall clock and the monotonic clock
// disagree about the time since the first sample.
func (c cover) clockStep() time.Duration {
	var step time.Duration
	first := c.samples[0]
	for _, s := range c.samples[1:] {
		wall, mono := s.At.Sub(first.At), s.Mono-first.Mono
		step = max(step, (wall - mono).Abs())
	}
	return step
}
