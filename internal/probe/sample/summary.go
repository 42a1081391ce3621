package sample

import (
	"fmt"
	"time"
)

// Summarize computes what the node of s did between start and end. Counters
// are interpolated linearly at the edges; time is that of the monotonic clock,
// on which the wall clock of the samples places the window.
//
// It is an error when samples do not cover the window, when the clock was set
// back in it, or when the CPU time of the machine fell. Everything else that
// is spoilt is left out of the summary, which has the reason. A group that
// cannot be summarized carries its own error.
func Summarize(s Series, start, end time.Time) (Summary, error) {
	c, err := coverWindow(s, Window{Start: start, End: end})
	if err != nil {
		return Summary{}, err
	}
	busy := func(s *Sample) float64 { return s.CPU.Busy() }
	if before, after, fell := c.falls(busy); fell {
		return Summary{}, fmt.Errorf("busy CPU time of the machine fell from %v to %v s between samples", before, after)
	}
	sum := Summary{
		Window:          c.window,
		Cores:           c.cores(),
		Modes:           c.modes(func(s *Sample) *Modes { return &s.CPU }),
		BusiestCore:     c.busiestCore(),
		ContextSwitches: c.counter("contextSwitches", func(s *Sample) float64 { return float64(s.ContextSwitches) }),
		Probe:           c.counter("probeCores", func(s *Sample) float64 { return s.Own }),
		Samples:         c.inside(),
		EdgeSlack:       c.edgeSlack(),
		LargestGap:      c.largestGap(),
		ClockStep:       c.clockStep(),
		Faults:          c.faultsInside(),
	}
	sum.Busy = sum.Modes.Busy()
	c.machine(&sum)
	c.network(&sum)
	sum.Groups = c.groups()
	sum.Rest = c.rest(sum)
	c.unreadable()
	if len(c.missing) > 0 {
		sum.Missing = c.missing
	}
	return sum, nil
}

// modes returns the cores spent per mode. Idle and iowait may fall a little
// (proc_stat(5)).
func (c *cover) modes(of func(*Sample) *Modes) Modes {
	return Modes{
		User:    c.rate(func(s *Sample) float64 { return of(s).User }),
		Nice:    c.rate(func(s *Sample) float64 { return of(s).Nice }),
		System:  c.rate(func(s *Sample) float64 { return of(s).System }),
		IRQ:     c.rate(func(s *Sample) float64 { return of(s).IRQ }),
		SoftIRQ: c.rate(func(s *Sample) float64 { return of(s).SoftIRQ }),
		Steal:   c.rate(func(s *Sample) float64 { return of(s).Steal }),
		Idle:    c.rate(func(s *Sample) float64 { return of(s).Idle }),
		IOWait:  c.rate(func(s *Sample) float64 { return of(s).IOWait }),
	}
}

func (c *cover) cores() int {
	fewest := len(c.samples[0].Cores)
	for _, s := range c.samples[1:] {
		fewest = min(fewest, len(s.Cores))
	}
	return fewest
}

func (c *cover) busiestCore() *float64 {
	const figure = "busiestCore"
	first := c.samples[0].Cores
	for _, s := range c.samples[1:] {
		if !sameCores(first, s.Cores) {
			c.missing[figure] = "a CPU went on or off line"
			return nil
		}
	}
	busiest := 0.0
	for i, core := range first {
		busy := func(s *Sample) float64 { return s.Cores[i].Busy() }
		if before, after, fell := c.falls(busy); fell {
			c.missing[figure] = fmt.Sprintf("busy time of CPU %d fell from %v to %v s between samples", core.ID, before, after)
			return nil
		}
		busiest = max(busiest, c.rate(busy))
	}
	busiest = min(busiest, 1) // ticks are rounded
	return &busiest
}

// sameCores tells whether two samples have the same CPUs on line.
func sameCores(a, b []Core) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}
