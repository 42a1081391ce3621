package sample

import (
	"errors"
	"fmt"
	"slices"
)

// groups summarizes every group that occurs in the samples.
func (c *cover) groups() map[string]GroupSummary {
	var summaries map[string]GroupSummary
	for _, s := range c.samples {
		for name := range s.Groups {
			if _, done := summaries[name]; done {
				continue
			}
			g, err := c.group(name)
			if err != nil {
				g = GroupSummary{Error: err.Error(), Missing: g.Missing}
			}
			if summaries == nil {
				summaries = map[string]GroupSummary{}
			}
			summaries[name] = g
		}
	}
	return summaries
}

// group summarizes one group. Its sum means the same throughout only if the
// same cgroups were there throughout.
func (c *cover) group(name string) (GroupSummary, error) {
	sum := GroupSummary{Missing: c.samples[0].Groups[name].Missing}
	restarts := c.samples[0].Groups[name].Restarts
	for i, s := range c.samples {
		g, ok := s.Groups[name]
		if !ok {
			return sum, fmt.Errorf("sample %d of the window does not have the group", i+1)
		}
		if !slices.Equal(g.Missing, sum.Missing) {
			return sum, fmt.Errorf("cgroups came or went during the window: missing were %q, then %q", sum.Missing, g.Missing)
		}
		if g.Usage == nil {
			return sum, errors.New("none of its cgroups existed during the window")
		}
		if g.Restarts != restarts {
			return sum, errors.New("a cgroup was replaced by another of its name during the window")
		}
	}
	cpu := func(s *Sample) float64 { return s.Groups[name].Usage.CPU }
	if before, after, fell := c.falls(cpu); fell {
		return sum, fmt.Errorf("its CPU time fell from %v to %v s between samples: a cgroup was replaced by another of its name", before, after)
	}
	sum.Cores = c.rate(cpu)
	sum.User = c.rate(func(s *Sample) float64 { return s.Groups[name].Usage.User })
	sum.System = c.rate(func(s *Sample) float64 { return s.Groups[name].Usage.System })
	sum.WorkingSet = c.gauge(func(s *Sample) float64 { return float64(s.Groups[name].Usage.WorkingSet) })
	c.groupExtras(name, &sum)
	return sum, nil
}

// groupExtras fills in what not every version of cgroups has.
func (c *cover) groupExtras(name string, sum *GroupSummary) {
	usage := func(s *Sample) *Usage { return s.Groups[name].Usage }
	figure := "groups/" + name + "/"
	if c.have(figure+"throttled", func(s *Sample) bool { return usage(s).Throttled != nil }) {
		sum.Throttled = c.counter(figure+"throttled", func(s *Sample) float64 { return *usage(s).Throttled })
	}
	gauge := func(kind string, of func(*Usage) *uint64) *Gauge {
		if !c.have(figure+kind, func(s *Sample) bool { return of(usage(s)) != nil }) {
			return nil
		}
		g := c.gauge(func(s *Sample) float64 { return float64(*of(usage(s))) })
		return &g
	}
	sum.Anon = gauge("anonBytes", func(u *Usage) *uint64 { return u.Anon })
	sum.File = gauge("fileBytes", func(u *Usage) *uint64 { return u.File })
	sum.Kernel = gauge("kernelBytes", func(u *Usage) *uint64 { return u.Kernel })
	sum.Socket = gauge("socketBytes", func(u *Usage) *uint64 { return u.Socket })
}
