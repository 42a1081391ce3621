package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Needs is what measures a claim: a preset, or these lines of a campaign.
type Needs struct {
	Preset    string   `json:"preset,omitempty"`
	Variants  []string `json:"variants"`  // none: any plugin
	Scenarios []string `json:"scenarios"` // as a campaign has them
}

// needsOf lists what a campaign that measures the claim has. Each scenario is
// one line of YAML.
func needsOf(c Claim, s Source) *Needs {
	n := Needs{Preset: s.Preset, Variants: slices.Clone(c.Variants)}
	if c.Base != "" {
		n.Variants = append(n.Variants, c.Base)
	}
	for _, m := range c.Measures {
		n.Scenarios = append(n.Scenarios, scenarioLine(m))
	}
	n.Variants, n.Scenarios = unique(n.Variants), unique(n.Scenarios)
	if n.Variants == nil {
		n.Variants = []string{} // of any plugin
	}
	return &n
}

// scenarioLine is a scenario with its parameters; one that is compared across
// has both values.
func scenarioLine(m Measure) string {
	if len(m.Parameters) == 0 {
		return m.Scenario
	}
	parts := []string{"name: " + m.Scenario}
	for _, name := range slices.Sorted(maps.Keys(m.Parameters)) {
		value := m.Parameters[name]
		if other, ok := m.Against[name]; ok && other != value {
			value = "[" + other + ", " + value + "]"
		}
		parts = append(parts, name+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// String is the lines of a campaign.
func (n Needs) String() string {
	variants := "variants: [" + strings.Join(n.Variants, ", ") + "]"
	if len(n.Variants) == 0 {
		variants = "variants: any plugin"
	}
	return fmt.Sprintf("%s, scenarios: [%s]", variants, strings.Join(n.Scenarios, ", "))
}
