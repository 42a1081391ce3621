package campaign

import (
	"slices"
	"strings"
	"time"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Known is what a campaign may name. The caller fills it from the catalog and
// from the scenarios that the program has.
type Known struct {
	Variants  []VariantInfo
	Scenarios []ScenarioInfo
	// ReadFile reads a file that the campaign names, for example one of Helm
	// values. The caller decides what a relative name is relative to. Without
	// it such names are refused.
	ReadFile func(name string) ([]byte, error)
	// CheckPodTemplate says what is wrong with an overlay of load pods, in the
	// words of its fields. Without it only the shape is looked at.
	CheckPodTemplate func(overlay map[string]any) error
}

// VariantInfo is what a campaign must know about an entry of the catalog.
type VariantInfo struct {
	Name    string
	Aliases []string
	// Versions that the catalog pins, the default first. Empty, the entry has
	// none to choose from.
	Versions   []string
	LabVersion string // of Versions, the default in a lab; empty: the first
	None       bool   // nothing is installed
	Present    bool   // measures the plugin that the cluster has already
	Chart      bool   // installed by Helm, so that it takes values
	// CarriesServices says that it does so instead of kube-proxy.
	CarriesServices bool
	Excluded        string // why it cannot be measured; empty: it can
	// Definition is a digest of the entry if it is not of cnibench's own
	// catalog but of the user's; the plan keeps it.
	Definition string
}

// ScenarioInfo is what a campaign must know about a scenario.
type ScenarioInfo struct {
	Name    string
	Aliases []string
	// Metrics lists what it measures; the first is its primary metric.
	Metrics []MetricInfo
	// Parameters that a campaign may give it, in the order in which a cell's
	// id names them.
	Parameters []parameter.Parameter
	// Duration says how long a trial takes, apart from what all trials need.
	// Nil, it takes its parameters duration and omit.
	Duration func(parameter.Values) time.Duration
	// Misfit says what of a cell's parameters does not fit together, and the
	// remedy; empty, they do. Nil, all do.
	Misfit func(parameter.Values) (problem, remedy string)
	// TargetParameter is the one whose values name targets of the campaign;
	// empty: there is none.
	TargetParameter string
	// Definition is a digest of the file that defines the scenario if it is
	// not cnibench's own but the user's; the plan keeps it.
	Definition string
}

// MetricInfo is what a campaign must know about a metric to read its margin.
type MetricInfo struct {
	Name  string
	Unit  string
	Scale string // ratio or difference, as result.Scale
}

// Variant returns the entry of that name or alias and whether there is one.
func (k Known) Variant(name string) (VariantInfo, bool) {
	i := slices.IndexFunc(k.Variants, func(v VariantInfo) bool {
		return v.Name == name || slices.Contains(v.Aliases, name)
	})
	if i < 0 {
		return VariantInfo{}, false
	}
	return k.Variants[i], true
}

// variantNames lists the entries' names, then their aliases.
func (k Known) variantNames() []string {
	var names, aliases []string
	for _, v := range k.Variants {
		names = append(names, v.Name)
		aliases = append(aliases, v.Aliases...)
	}
	return append(names, aliases...)
}

// version finds a pinned version; a leading v may be left out or added.
func (v VariantInfo) version(name string) (string, bool) {
	for _, pinned := range v.Versions {
		if strings.TrimPrefix(pinned, "v") == strings.TrimPrefix(name, "v") {
			return pinned, true
		}
	}
	return "", false
}

// defaultVersion is empty for an entry without versions.
func (v VariantInfo) defaultVersion(lab bool) string {
	if lab && v.LabVersion != "" {
		return v.LabVersion
	}
	if len(v.Versions) == 0 {
		return ""
	}
	return v.Versions[0]
}

// Scenario returns the scenario of that name or alias and whether there is one.
func (k Known) Scenario(name string) (ScenarioInfo, bool) {
	for _, s := range k.Scenarios {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s, true
		}
	}
	return ScenarioInfo{}, false
}

// scenarioNames lists the scenarios' names, then their aliases.
func (k Known) scenarioNames() []string {
	var names, aliases []string
	for _, s := range k.Scenarios {
		names = append(names, s.Name)
		aliases = append(aliases, s.Aliases...)
	}
	return append(names, aliases...)
}

// TrialDuration returns how long a trial with these parameters takes, apart
// from what all trials need.
func (s ScenarioInfo) TrialDuration(v parameter.Values) time.Duration {
	if s.Duration != nil {
		return s.Duration(v)
	}
	var total time.Duration
	for _, name := range []string{"duration", "omit"} {
		if v.Has(name) {
			total += v.Duration(name)
		}
	}
	return total
}

func (s ScenarioInfo) parameterNames() []string {
	names := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		names[i] = p.Name
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
