package sample

import (
	"fmt"
	"maps"
	"slices"
)

// rest is the machine less all groups. Groups inside others count once.
func (c *cover) rest(sum Summary) *RestSummary {
	if len(sum.Groups) == 0 || len(c.paths) == 0 {
		return nil
	}
	const figure = "rest"
	names, err := disjoint(c.paths)
	if err != nil {
		c.missing[figure] = err.Error()
		return nil
	}
	rest := RestSummary{Cores: sum.Busy}
	for _, name := range names {
		g, ok := sum.Groups[name]
		if !ok || g.Error != "" {
			c.missing[figure] = fmt.Sprintf("group %s has no figures: %s", name, g.Error)
			return nil
		}
		rest.Cores -= g.Cores
	}
	anonymous := true
	for _, name := range names {
		anonymous = anonymous && sum.Groups[name].Anon != nil
	}
	if sum.Memory != nil && anonymous {
		g := c.gauge(func(s *Sample) float64 {
			left := float64(s.Memory.LessCaches())
			for _, name := range names {
				left -= float64(*s.Groups[name].Usage.Anon)
			}
			return left
		})
		rest.Memory = &g
	}
	return &rest
}

// disjoint returns the groups whose sum holds every cgroup of all groups once:
// those that lie in others are left out. It is an error if one lies in others
// in part.
func disjoint(groups map[string][]string) ([]string, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		inside := 0
		for _, p := range groups[name] {
			if insideAnother(groups, name, p) {
				inside++
			}
		}
		switch inside {
		case 0:
			names = append(names, name)
		case len(groups[name]):
		default:
			return nil, fmt.Errorf("group %s lies in other groups in part", name)
		}
	}
	return names, nil
}

// insideAnother tells whether a path of a group lies in another group. Of two
// groups with the same path the first by name has it.
func insideAnother(groups map[string][]string, name, p string) bool {
	for other, paths := range groups {
		if other == name {
			continue
		}
		for _, q := range paths {
			if within(p, q) && (p != q || other < name) {
				return true
			}
		}
	}
	return false
}
