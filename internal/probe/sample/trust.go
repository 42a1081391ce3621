package sample

import "time"

// largestGap is the longest time between two neighbouring samples.
func (c *cover) largestGap() time.Duration {
	var gap time.Duration
	for i := range c.samples[1:] {
		gap = max(gap, c.samples[i+1].Mono-c.samples[i].Mono)
	}
	return gap
}

// clockStep is the most by which the wall clock and the monotonic clock
// disagree about the time since the first sample.
func (c *cover) clockStep() time.Duration {
	var step time.Duration
	first := c.samples[0]
	for _, s := range c.samples[1:] {
		wall, mono := s.At.Sub(first.At), s.Mono-first.Mono
		step = max(step, (wall - mono).Abs())
	}
	return step
}

// edgeSlack is how far the nearest sample is from the edge that has it
// farther.
func (c *cover) edgeSlack() time.Duration {
	nearest := func(edge time.Duration) time.Duration {
		least := c.samples[len(c.samples)-1].Mono - c.samples[0].Mono
		for i := range c.samples {
			least = min(least, (c.samples[i].Mono - edge).Abs())
		}
		return least
	}
	return max(nearest(c.from), nearest(c.to))
}

// inside counts the samples in the window.
func (c *cover) inside() int {
	n := 0
	for i := range c.samples {
		if s := &c.samples[i]; s.Mono >= c.from && s.Mono <= c.to {
			n++
		}
	}
	return n
}

// faultsInside are the faults that touch the window. What could not be read
// from the beginning is missing, but went wrong at no time.
func (c *cover) faultsInside() []Fault {
	var touching []Fault
	for _, f := range c.faults {
		fromTheBeginning := f.Kind == FaultUnreadable && f.Since.Equal(f.At)
		if f.touches(c.window) && !fromTheBeginning {
			touching = append(touching, f)
		}
	}
	return touching
}

// unreadable notes why no sample has a figure that the sampler could not read.
func (c *cover) unreadable() {
	for _, f := range c.faults {
		if f.Kind == FaultUnreadable && !c.found[f.Figure] && !f.Since.After(c.window.End) {
			c.missing[f.Figure] = f.Detail
		}
	}
}
