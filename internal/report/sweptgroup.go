package report

import (
	"fmt"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/figure"
)

// openMetrics is how many metrics of a swept parameter are in sight; the others
// are folded, unless the plan declares them primary.
const openMetrics = 2

// sweptGroup is all sweeps of a scenario over one parameter.
type sweptGroup struct {
	Scenario, Parameter string
	Open, Folded        []sweptMetric
}

// sweptMetric is one metric: how variants differ, if they were compared, and a
// picture for each setting.
type sweptMetric struct {
	Heat   *heatMap
	Curves []figure.Drawing
}

func sweptGroups(a analysis.Analysis) []sweptGroup {
	var groups []sweptGroup
	list := sweeps(a)
	for i := 0; i < len(list); {
		same := []sweep{list[i]}
		for i++; i < len(list) && list[i].scenario == same[0].scenario && list[i].parameter == same[0].parameter; i++ {
			same = append(same, list[i])
		}
		groups = append(groups, newSweptGroup(a, same, len(groups)))
	}
	return groups
}

func newSweptGroup(a analysis.Analysis, same []sweep, n int) sweptGroup {
	g := sweptGroup{Scenario: same[0].scenario, Parameter: same[0].parameter}
	for i, name := range same[0].metrics() {
		id := fmt.Sprintf("w%d-%d", n, i)
		var m sweptMetric
		if h, ok := newHeatMap(a, same, name, id+"-h"); ok {
			m.Heat = &h
		}
		for j, s := range same {
			m.Curves = append(m.Curves, s.draw(a, name, fmt.Sprintf("%s-%d", id, j)))
		}
		if i < openMetrics || same[0].declared(name) {
			g.Open = append(g.Open, m)
		} else {
			g.Folded = append(g.Folded, m)
		}
	}
	return g
}

// declared tells whether a metric is primary in one of the cells.
func (s sweep) declared(name string) bool {
	for _, c := range s.cells {
		if m, ok := metricOf(c, name); ok && m.Primary {
			return true
		}
	}
	return false
}
