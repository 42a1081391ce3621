package analysis

import "fmt"

// Groups finds the variants that cannot be told apart in a metric of the
// analysis, without the A/A twin, as [CompareWithin] does. It returns nil where
// fewer than three variants have values.
func (a Analysis) Groups(m Metric) (*ComparedGroups, error) {
	g, err := groupsOf(withoutTwin(m, a.Plan.Analysis.AA), Alpha(a.Plan))
	if err != nil {
		return nil, fmt.Errorf("grouping by %s: %w", m.Name, err)
	}
	return g, nil
}
