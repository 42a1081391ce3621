package scenario

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Scenario is one thing that is measured.
type Scenario struct {
	Name  string
	Title string
	// Metrics lists what a trial may report; the first is the primary one.
	Metrics []result.Metric
	// Parameters are those of a plan's cell that a campaign may set: duration,
	// omit, streams, placement.
	Parameters []string
	Defaults   Defaults
	// Run measures once. Its errors become the trial's status: see Invalid and
	// Unsupported; any other error is a failed trial.
	Run func(ctx context.Context, b *Bench, cell plan.Cell) (Measurement, error)
}

// Defaults are the parameters of a campaign that sets none.
type Defaults struct {
	Duration, Omit time.Duration
	Streams        int
}

// Measurement is what an ok trial brings home.
type Measurement struct {
	Window result.Window
	Values []result.Value
	Marks  []result.Mark
	Facts  map[string]string
}

var registry = map[string]Scenario{}

// register adds a scenario. It is called by the file that defines it, so that
// a new scenario is one new file.
func register(s Scenario) {
	if _, taken := registry[s.Name]; taken {
		panic("scenario " + s.Name + " is registered twice")
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

// Find returns a scenario by name.
func Find(name string) (Scenario, error) {
	s, ok := registry[name]
	if !ok {
		return Scenario{}, fmt.Errorf("there is no scenario %q", name)
	}
	return s, nil
}

// InvalidError says that something was measured, but that the environment
// spoilt it.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// UnsupportedError says that this variant or cluster cannot do what the
// scenario needs.
type UnsupportedError struct{ Reason string }

func (e *UnsupportedError) Error() string { return e.Reason }
