package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// Scenario is one thing that is measured.
type Scenario struct {
	Name    string
	Aliases []string // names that other benchmarks give it
	Title   string   // one line
	// Description is a paragraph: what is measured and how, and what the
	// figures cannot show.
	Description string
	// Metrics lists what a trial may report; the first is the primary one.
	Metrics    []result.Metric
	Parameters []parameter.Parameter
	Requires   Requires
	// Expected says how long a trial takes apart from what all trials need.
	// Nil, it takes its parameters duration and omit.
	Expected func(parameter.Values) time.Duration
	// ExpectedOn says it for a cluster of so many nodes, where that matters.
	ExpectedOn func(v parameter.Values, nodes int) time.Duration
	// Misfit says what of the parameters does not fit together, and the
	// remedy, so that a campaign can be refused before it starts; empty, they
	// do. Nil, all do.
	Misfit func(parameter.Values) (problem, remedy string)
	// Beyond says why trials in this setting are certain to be unsupported, in
	// the words of the trials, so that a plan can tell; empty, that is not
	// known. It need not look at what most scenarios have in common, see
	// Foresee. Nil, there is nothing more.
	Beyond func(parameter.Values, Setting) string
	// TargetParameter is the one whose values name targets of the campaign, see
	// plan.Cell; empty: there is none.
	TargetParameter string
	// Definition is a digest of the user's file that defines the scenario;
	// empty for those of this program.
	Definition string
	// Run measures once. Its errors become the trial's status: see Invalid and
	// Unsupported; any other error is a failed trial.
	Run func(ctx context.Context, b *stage.Bench, cell plan.Cell) (stage.Measurement, error)
}

var registry = map[string]Scenario{}

// register adds a scenario. It is called by the file that defines it, so that
// a new scenario is one new file.
func register(s Scenario) {
	if _, taken := registry[s.Name]; taken {
		panic("scenario " + s.Name + " is registered twice")
	}
	s.Parameters = stage.WithPinning(s.Parameters)
	for _, p := range s.Parameters {
		p.Defaults() // panics when one is no value
	}
	registry[s.Name] = s
}

// All lists the scenarios by name.
func All() []Scenario {
	var all []Scenario
	for _, name := range slices.Sorted(maps.Keys(registry)) {
		all = append(all, registry[name])
	}
	return all
}

// Find returns a scenario by name or alias.
func Find(name string) (Scenario, error) {
	if s, ok := registry[name]; ok {
		return s, nil
	}
	for _, s := range All() {
		if slices.Contains(s.Aliases, name) {
			return s, nil
		}
	}
	return Scenario{}, fmt.Errorf("there is no scenario %q", name)
}

// Info is what a campaign must know about the scenario.
func (s Scenario) Info() campaign.ScenarioInfo {
	info := campaign.ScenarioInfo{Name: s.Name, Aliases: s.Aliases, Parameters: s.Parameters, Duration: s.Expected, Misfit: s.misfit, TargetParameter: s.TargetParameter, Definition: s.Definition}
	for _, m := range slices.Concat(s.Metrics, s.Details()) {
		info.Metrics = append(info.Metrics, campaign.MetricInfo{Name: m.Name, Unit: m.Unit, Scale: string(m.Scale)})
	}
	return info
}

// Details are what a trial reports besides Metrics: figures of the machines,
// which reports fold.
func (s Scenario) Details() []result.Metric {
	has := func(name string) bool {
		return slices.ContainsFunc(s.Metrics, func(m result.Metric) bool { return m.Name == name })
	}
	var all []result.Metric
	if has(stage.CPU.Name) {
		all = stage.DetailMetrics()
	}
	if has(stage.CPUPerGbit.Name) {
		all = append(all, stage.EnergyPerGbit)
	}
	return all
}

// misfit also judges what most scenarios have in common.
func (s Scenario) misfit(v parameter.Values) (problem, remedy string) {
	if problem, remedy = stage.PinningMisfit(v); problem == "" {
		problem, remedy = stage.OutsideMisfit(v)
	}
	if problem == "" && s.Misfit != nil {
		return s.Misfit(v)
	}
	return problem, remedy
}

// Duration returns how long a trial with these parameters takes, apart from
// what all trials need.
func (s Scenario) Duration(v parameter.Values) time.Duration { return s.Info().TrialDuration(v) }

// DurationOn returns it for a cluster of so many nodes; 0: nobody knows yet.
func (s Scenario) DurationOn(v parameter.Values, nodes int) time.Duration {
	if s.ExpectedOn != nil && nodes > 0 {
		return s.ExpectedOn(v, nodes)
	}
	return s.Duration(v)
}
