package profile

import (
	"fmt"
	"slices"
	"strings"
)

// The version and kind of document that this package reads.
const (
	APIVersion = "cnibench.io/v1alpha1"
	Kind       = "Profile"
)

// DefaultLeast is the share of a profile's weight that must have been measured
// before anything is ranked by it.
const DefaultLeast = 0.5

// Profile is a need: what counts for it, and how much.
type Profile struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"` // plain words, a paragraph
	Sources     []string `json:"sources,omitempty"`     // who describes the need: DOCUMENT:LINE, or a URL
	Needs       Needs    `json:"needs,omitzero"`
	// Least is the share of the weight, from 0 to 1, that must have been
	// measured for a ranking.
	Least   float64   `json:"least"`
	Weights []Measure `json:"weights"` // at least one
	// Campaign is what a campaign that measures this profile says under spec,
	// as YAML; empty: the profile says nothing of it.
	Campaign []byte `json:"-"`
	// File is where a profile of the user's was read; empty: it is one of
	// cnibench's own.
	File string `json:"-"`
}

// argument is what --profile takes to mean the profile.
func (p Profile) argument() string {
	if p.File != "" {
		return p.File
	}
	return p.Name
}

// Needs are what no measurement tells.
type Needs struct {
	// Requires are features without which a variant is not ranked, Wants those
	// that are worth knowing; both by the names of [Features].
	Requires []string `json:"requires,omitempty"`
	Wants    []string `json:"wants,omitempty"`
	// Kernel is the oldest that the nodes run: a variant that needs a newer one
	// is not ranked. Empty: it does not matter.
	Kernel string `json:"kernel,omitempty"`
}

// Measure is one thing that counts.
type Measure struct {
	What   string  `json:"what"`   // plain words
	Weight float64 `json:"weight"` // above 0; only its ratio to the others' matters
	Source string  `json:"source,omitempty"`
	// Of are the figures that can stand for it: the first that a campaign has
	// measured does.
	Of []Pattern `json:"of,omitempty"`
	// Lacking says why nothing can be measured; empty: Of can.
	Lacking string `json:"lacking,omitempty"`
	// Margin is the smallest difference that matters here, instead of the
	// metric's own; nil: that.
	Margin *Margin `json:"margin,omitempty"`
}

// Margin is a fraction (0.03 is 3 %) for metrics on the ratio scale, or an
// amount in the metric's unit for those on the difference scale.
type Margin struct {
	Value    float64 `json:"value"`
	Fraction bool    `json:"fraction"`
}

// Pattern matches cells of a campaign: those of a scenario whose parameters
// meet all conditions. Several share the measure's weight equally.
type Pattern struct {
	Scenario string      `json:"scenario"`
	Metric   string      `json:"metric"`
	Where    []Condition `json:"where,omitempty"` // sorted by parameter
}

// String is "SCENARIO/METRIC" with the conditions in parentheses.
func (p Pattern) String() string {
	text := p.Scenario + "/" + p.Metric
	if len(p.Where) == 0 {
		return text
	}
	parts := make([]string, len(p.Where))
	for i, c := range p.Where {
		parts[i] = c.String()
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(parts, ", "))
}

// Features are what a profile may require or want of a variant.
var Features = []string{
	"encryption", "key-rotation", "network-policy", "l7-policy", "fqdn-policy", "kube-proxy-replacement",
	"observability", "cli", "multi-cluster", "arm64",
}

// total is the sum of all weights.
func (p Profile) total() float64 {
	var sum float64
	for _, m := range p.Weights {
		sum += m.Weight
	}
	return sum
}

// Scenarios names those that measure the profile, each once, in its order; of
// figures that can stand for each other the first.
func (p Profile) Scenarios() []string {
	var names []string
	for _, m := range p.Weights {
		if len(m.Of) > 0 && !slices.Contains(names, m.Of[0].Scenario) {
			names = append(names, m.Of[0].Scenario)
		}
	}
	return names
}

// Measurable is the share of the weight, from 0 to 1, that cnibench can measure
// at all.
func (p Profile) Measurable() float64 {
	var sum float64
	for _, m := range p.Weights {
		if m.Lacking == "" {
			sum += m.Weight
		}
	}
	return sum / p.total()
}
