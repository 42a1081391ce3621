package campaign

import "time"

// Known is what a campaign may name. The caller fills it from the catalog and
// from the scenarios that the program has.
type Known struct {
	Variants  []string
	Scenarios []ScenarioInfo
}

// ScenarioInfo is what a campaign must know about a scenario.
type ScenarioInfo struct {
	Name string
	// Metrics lists what it measures; the first is its primary metric.
	Metrics []MetricInfo
	// Parameters are the keys that a campaign may give it, of: duration, omit,
	// streams, placement.
	Parameters []string
	// Defaults of the parameters, also of those that a campaign may not give.
	Duration  time.Duration
	Omit      time.Duration
	Streams   int
	Placement string // empty: cross-node
}

// MetricInfo is what a campaign must know about a metric to read its margin.
type MetricInfo struct {
	Name  string
	Unit  string
	Scale string // ratio or difference, as result.Scale
}

// Scenario returns the scenario of that name and whether there is one.
func (k Known) Scenario(name string) (ScenarioInfo, bool) {
	for _, s := range k.Scenarios {
		if s.Name == name {
			return s, true
		}
	}
	return ScenarioInfo{}, false
}

func (k Known) scenarioNames() []string {
	names := make([]string, len(k.Scenarios))
	for i, s := range k.Scenarios {
		names[i] = s.Name
	}
	return names
}

func (s ScenarioInfo) metricNames() []string {
	names := make([]string, len(s.Metrics))
	for i, m := range s.Metrics {
		names[i] = m.Name
	}
	return names
}
