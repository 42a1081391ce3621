package campaign

import (
	"fmt"
	"strings"

	"github.com/cnibench/cnibench/internal/parameter"
)

// Cell is one scenario with all its parameters fixed.
type Cell struct {
	ID         string
	Scenario   string
	Parameters parameter.Values
	Definition string  // of the scenario, if the user defines it
	Target     *Target // that the parameters name; nil: none
}

// Cells lists the cells of the campaign in the order of the file. A cell's id
// is the name of its scenario, followed by ".key=value" for each parameter in
// which the cells of that scenario differ, so that ids are unique and a
// campaign that varies nothing has plain names.
func (s Spec) Cells() []Cell {
	var cells []Cell
	ofScenario := map[string][]Cell{}
	order := map[string][]string{}
	for _, scenario := range s.Scenarios {
		more := scenario.cells()
		for i := range more {
			more[i].Target = s.targetOf(scenario, more[i].Parameters)
		}
		cells = append(cells, more...)
		ofScenario[scenario.Name] = append(ofScenario[scenario.Name], more...)
		order[scenario.Name] = scenario.parameterNames()
	}
	varying := map[string][]string{}
	for name, group := range ofScenario {
		varying[name] = varyingParameters(group, order[name])
	}
	for i := range cells {
		cells[i].ID = cells[i].id(varying[cells[i].Scenario])
	}
	return cells
}

func (s Scenario) parameterNames() []string {
	names := make([]string, len(s.Parameters))
	for i, p := range s.Parameters {
		names[i] = p.Name
	}
	return names
}

// cells returns the combinations of the scenario's lists, without ids. The
// last parameter changes fastest.
func (s Scenario) cells() []Cell {
	total := 1
	for _, p := range s.Parameters {
		total *= len(p.Values)
	}
	cells := make([]Cell, total)
	for i := range cells {
		values := parameter.Values{}
		rest := i
		for j := len(s.Parameters) - 1; j >= 0; j-- {
			p := s.Parameters[j]
			values[p.Name] = p.Values[rest%len(p.Values)]
			rest /= len(p.Values)
		}
		cells[i] = Cell{Scenario: s.Name, Parameters: values, Definition: s.Definition}
	}
	return cells
}

func varyingParameters(cells []Cell, names []string) []string {
	var varying []string
	for _, name := range names {
		for _, c := range cells[1:] {
			if c.Parameters[name] != cells[0].Parameters[name] {
				varying = append(varying, name)
				break
			}
		}
	}
	return varying
}

// unfit are characters of values that do not belong into the names of files,
// which ids become, on every system, or that separate names in lists of them.
var unfit = strings.NewReplacer(":", "_", ",", "+")

func (c Cell) id(varying []string) string {
	var b strings.Builder
	b.WriteString(c.Scenario)
	for _, name := range varying {
		fmt.Fprintf(&b, ".%s=%s", name, unfit.Replace(c.Parameters[name]))
	}
	return b.String()
}
