package profile

import (
	"fmt"
	"slices"

	"github.com/cnibench/cnibench/internal/document"
)

// Slips are warnings about figures that a profile names and nothing has, where
// a slip of the keyboard lies between them and what there is: otherwise their
// weight would drop out with no more than a word. Known has the metrics of
// every scenario there is.
func (p Profile) Slips(known map[string][]string) []string {
	var scenarios []string
	for name := range known {
		scenarios = append(scenarios, name)
	}
	slices.Sort(scenarios)
	var list []string
	for _, m := range p.Weights {
		for _, of := range m.Of {
			if text := of.slip(known, scenarios); text != "" {
				list = append(list, m.What+": "+text)
			}
		}
	}
	return list
}

func (p Pattern) slip(known map[string][]string, scenarios []string) string {
	metrics, there := known[p.Scenario]
	if !there {
		if near, ok := document.Nearest(p.Scenario, scenarios); ok {
			return fmt.Sprintf("there is no scenario %q: did you mean %q?", p.Scenario, near)
		}
		return ""
	}
	if near, ok := document.Nearest(p.Metric, metrics); ok && !slices.Contains(metrics, p.Metric) {
		return fmt.Sprintf("%s has no metric %q: did you mean %q?", p.Scenario, p.Metric, near)
	}
	return ""
}
