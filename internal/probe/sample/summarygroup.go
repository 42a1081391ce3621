package sample

import (
	"errors"
	"fmt"
	"slices"
)

// groups summarizes every group that occurs in the samples.
func (c cover) groups() map[string]GroupSummary {
	summaries := map[string]GroupSummary{}
	for _, s := range c.samples {
		for name := range s.Groups {
			if _, done := summaries[name]; done {
				continue
			}
			g, err := c.group(name)
			if err != nil {
				g = GroupSummary{Error: err.Error(), Missing: g.Missing}
			}
			summaries[name] = g
		}
	}
	return summaries
}

// group summarizes one group. Its sum means the same throughout only if the
// same paths were there throughout.
func (c cover) group(name string) (GroupSummary, error) {
	sum := GroupSummary{Missing: c.samples[0].Groups[name].Missing}
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
	}
	cpu := func(s *Sample) float64 { return s.Groups[name].Usage.CPU }
	if err := c.monotone("its CPU time", cpu); err != nil {
		return sum, fmt.Errorf("%w: a cgroup was replaced by another of its name", err)
	}
	sum.Cores = c.rate(cpu)
	sum.User = c.rate(func(s *Sample) float64 { return s.Groups[name].Usage.User })
	sum.System = c.rate(func(s *Sample) float64 { return s.Groups[name].Usage.System })
	sum.WorkingSet = c.gauge(func(s *Sample) float64 { return float64(s.Groups[name].Usage.WorkingSet) })
	return sum, nil
}
