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
	faults  []Fault
	paths   map[string][]string // of the groups
	found   map[string]bool     // figures that are there, if not in all samples
	missing map[string]string   // figures that are not, or are spoilt, with the reason
	// from and to are the window's edges on the monotonic clock.
	from, to time.Duration
}

// coverWindow picks the samples that enclose w out of s.
func coverWindow(s Series, w Window) (*cover, error) {
	if !w.Start.Before(w.End) {
		return nil, fmt.Errorf("window %v is empty", w)
	}
	if len(s.Samples) == 0 {
		return nil, errors.New("series has no samples")
	}
	for i := 1; i < len(s.Samples); i++ {
		if s.Samples[i].Mono <= s.Samples[i-1].Mono {
			return nil, fmt.Errorf("sample %d is not later than the one before it by the monotonic clock", i+1)
		}
	}
	var found *cover
	for _, run := range rising(s.Samples) {
		c := enclose(run, w)
		if c == nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("window %v happened twice: the clock was set back", w)
		}
		found = c
	}
	if found == nil {
		return nil, uncovered(s.Samples, w)
	}
	found.faults, found.paths = s.Faults, s.Groups
	found.found, found.missing = map[string]bool{}, map[string]string{}
	found.from, found.to = found.mono(w.Start), found.mono(w.End)
	return found, nil
}

// rising splits samples where the wall clock was set back.
func rising(samples []Sample) [][]Sample {
	var runs [][]Sample
	start := 0
	for i := 1; i <= len(samples); i++ {
		if i == len(samples) || !samples[i-1].At.Before(samples[i].At) {
			runs = append(runs, samples[start:i])
			start = i
		}
	}
	return runs
}

// enclose returns nil if samples, in order of time, do not enclose w.
func enclose(samples []Sample, w Window) *cover {
	after := sort.Search(len(samples), func(i int) bool { return samples[i].At.After(w.Start) })
	last := sort.Search(len(samples), func(i int) bool { return !samples[i].At.Before(w.End) })
	if after == 0 || last == len(samples) {
		return nil
	}
	return &cover{samples: samples[after-1 : last+1], window: w}
}

func uncovered(samples []Sample, w Window) error {
	if runs := rising(samples); len(runs) > 1 {
		return fmt.Errorf("window %v is not covered by samples of one reading of the clock: it was set back %d times", w, len(runs)-1)
	}
	span := Window{samples[0].At, samples[len(samples)-1].At}
	return fmt.Errorf("window %v is not covered by samples, which span %v", w, span)
}

// mono places a moment of the wall clock on the monotonic one.
func (c *cover) mono(t time.Time) time.Duration {
	i := sort.Search(len(c.samples), func(i int) bool { return !c.samples[i].At.Before(t) })
	if i == 0 {
		return c.samples[0].Mono
	}
	before, after := &c.samples[i-1], &c.samples[i]
	fraction := float64(t.Sub(before.At)) / float64(after.At.Sub(before.At))
	return before.Mono + time.Duration(fraction*float64(after.Mono-before.Mono))
}

// seconds is the length of the window.
func (c *cover) seconds() float64 { return (c.to - c.from).Seconds() }

// at returns v at a moment of the monotonic clock, linearly interpolated
// between the samples around it.
func (c *cover) at(t time.Duration, v func(*Sample) float64) float64 {
	i := sort.Search(len(c.samples), func(i int) bool { return c.samples[i].Mono >= t })
	if i == 0 {
		return v(&c.samples[0])
	}
	before, after := &c.samples[i-1], &c.samples[i]
	fraction := float64(t-before.Mono) / float64(after.Mono-before.Mono)
	return v(before) + fraction*(v(after)-v(before))
}

// rate is the growth of a counter over the window, per second.
func (c *cover) rate(v func(*Sample) float64) float64 {
	return (c.at(c.to, v) - c.at(c.from, v)) / c.seconds()
}

// falls tells whether the counter v ever falls, and where.
func (c *cover) falls(v func(*Sample) float64) (before, after float64, fell bool) {
	before = v(&c.samples[0])
	for i := range c.samples[1:] {
		after = v(&c.samples[i+1])
		if after < before {
			return before, after, true
		}
		before = after
	}
	return 0, 0, false
}

// gauge returns the time-weighted mean of v over the window and its maximum.
func (c *cover) gauge(v func(*Sample) float64) Gauge {
	at, value := c.from, c.at(c.from, v)
	g := Gauge{Max: value}
	// Above the first value, so that the mean of a constant is that constant.
	first, area := value, 0.0
	step := func(t time.Duration, next float64) {
		area += ((value - first) + (next - first)) / 2 * (t - at).Seconds()
		g.Max = max(g.Max, next)
		at, value = t, next
	}
	for i := range c.samples {
		if s := &c.samples[i]; s.Mono > c.from && s.Mono < c.to {
			step(s.Mono, v(s))
		}
	}
	step(c.to, c.at(c.to, v))
	g.Mean = min(g.Max, first+area/c.seconds())
	return g
}
