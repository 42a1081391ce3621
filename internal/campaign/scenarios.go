package campaign

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

// maxCells bounds a campaign: above it a list is a slip of the keyboard.
const maxCells = 1000

const listScenarios = `"cnibench scenarios list" shows them`

// scenarios also says whether all of them are good: only then is it known
// which cells there are.
func (d *decoder) scenarios(n *yaml.Node) ([]Scenario, bool) {
	before := len(d.Problems)
	elements, ok := d.List(n, "scenarios", "write scenarios: [tcp-pod-single, …]; "+listScenarios)
	if !ok {
		return nil, false
	}
	var scenarios []Scenario
	line := map[string]int{}
	for _, e := range elements {
		s, ok := d.scenario(e)
		if !ok {
			continue
		}
		scenarios = append(scenarios, s)
		d.distinct(e, s, line)
		if len(line) > maxCells {
			d.Report(e, fmt.Sprintf("more than %d cells up to here", maxCells), "split the campaign")
			break
		}
	}
	return scenarios, len(d.Problems) == before
}

// distinct reports a scenario that measures what an earlier one does. line
// holds where each cell was first asked for.
func (d *decoder) distinct(n *yaml.Node, s Scenario, line map[string]int) {
	for _, c := range s.cells() {
		// With every parameter in it, an id tells cells apart.
		id := c.id(s.parameterNames())
		if first, repeated := line[id]; repeated {
			d.Report(n, fmt.Sprintf("%s has the same parameters as on line %d", s.Name, first),
				"remove one of the two, or give it other parameters")
			return
		}
		line[id] = n.Line
		if len(line) > maxCells {
			return
		}
	}
}

// scenario reads NAME or {name: NAME, duration: …, omit: …, …}.
func (d *decoder) scenario(n *yaml.Node) (Scenario, bool) {
	before := len(d.Problems)
	if n.Kind != yaml.MappingNode {
		info := d.scenarioInfo(n)
		return Scenario{info.Name, d.parameters(info, nil), info.Definition, info.TargetParameter}, len(d.Problems) == before
	}
	info, ok := d.namedScenario(n)
	if !ok {
		return Scenario{}, false
	}
	given, _ := d.Object(n, "a scenario", d.known.scenarioKeys())
	d.untaken(n, info, given)
	s := Scenario{info.Name, d.parameters(info, given), info.Definition, info.TargetParameter}
	if len(d.Problems) == before {
		d.misfit(n, s, info)
	}
	return s, len(d.Problems) == before
}

// misfit reports the first cell whose parameters do not fit together.
func (d *decoder) misfit(n *yaml.Node, s Scenario, info ScenarioInfo) {
	if info.Misfit == nil {
		return
	}
	for _, c := range s.cells() {
		if problem, remedy := info.Misfit(c.Parameters); problem != "" {
			d.Report(n, info.Name+": "+problem, remedy)
			return
		}
	}
}

// scenarioKeys are the keys of a scenario that is written as a mapping.
func (k Known) scenarioKeys() document.Keys {
	valid := []string{"name"}
	for _, s := range k.Scenarios {
		for _, name := range s.parameterNames() {
			if !slices.Contains(valid, name) {
				valid = append(valid, name)
			}
		}
	}
	return document.Keys{Valid: valid}
}

// untaken reports parameters that other scenarios take.
func (d *decoder) untaken(n *yaml.Node, info ScenarioInfo, given document.Fields) {
	names := info.parameterNames()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := document.Resolve(n.Content[i])
		if key.Value == "name" || given[key.Value] == nil || slices.Contains(names, key.Value) {
			continue
		}
		hint := "remove it"
		if len(names) > 0 {
			hint = "remove it; the scenario takes " + strings.Join(names, ", ")
		}
		d.Report(key, fmt.Sprintf("%s takes no %s", info.Name, key.Value), hint)
	}
}

// namedScenario finds the scenario that a mapping names; it is needed before
// the rest of the mapping can be read.
func (d *decoder) namedScenario(n *yaml.Node) (ScenarioInfo, bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if document.Resolve(n.Content[i]).Value == "name" {
			info := d.scenarioInfo(document.Resolve(n.Content[i+1]))
			return info, info.Name != ""
		}
	}
	d.Report(n, "name is missing", "add name: NAME; "+listScenarios)
	return ScenarioInfo{}, false
}

// scenarioInfo reads the name of a scenario; the result is empty if there is
// none of that name.
func (d *decoder) scenarioInfo(n *yaml.Node) ScenarioInfo {
	var name string
	if !d.Text(n, "a scenario", &name) {
		return ScenarioInfo{}
	}
	info, ok := d.known.Scenario(name)
	if !ok {
		d.Report(n, "unknown scenario "+document.Describe(n), document.DidYouMean(name, d.known.scenarioNames(), listScenarios+"; --scenarios DIR adds your own"))
	}
	return info
}

// parameters reads the values of all parameters, those not given by default.
func (d *decoder) parameters(info ScenarioInfo, given document.Fields) []Parameter {
	all := make([]Parameter, len(info.Parameters))
	for i, p := range info.Parameters {
		all[i] = Parameter{p.Name, p.Defaults()}
		if n := given[p.Name]; n != nil {
			all[i].Values = oneOrMore(d, n, p.Name, func(n *yaml.Node, into *string) bool {
				return d.parameter(n, p, into) && (p.Name != info.TargetParameter || d.knownTarget(n, *into))
			})
		}
	}
	return all
}

// parameter reads one value. What YAML takes for something else than the
// parameter is, such as the number in "8", is a slip.
func (d *decoder) parameter(n *yaml.Node, p parameter.Parameter, into *string) bool {
	if n.Kind == yaml.ScalarNode && slices.Contains(tagsOf(p.Kind), n.ShortTag()) {
		if value, err := p.Parse(n.Value); err == nil {
			*into = value
			return true
		}
	}
	hint := p.HintFor(n.Value)
	if p.Kind == parameter.Choice {
		hint = document.DidYouMean(n.Value, p.Choices, hint)
	}
	d.Report(n, fmt.Sprintf("%s must be %s, not %s", p.Name, p.Domain(), document.Describe(n)), hint)
	return false
}

// tagsOf are the YAML types that a parameter may be written as.
func tagsOf(k parameter.Kind) []string {
	switch k {
	case parameter.Integer:
		return []string{"!!int"}
	case parameter.Number:
		return []string{"!!int", "!!float"}
	case parameter.Bytes:
		return []string{"!!int", "!!str"}
	case parameter.Boolean:
		return []string{"!!bool"}
	case parameter.Duration, parameter.Rate:
		return []string{"!!str"}
	}
	return []string{"!!str", "!!int", "!!float", "!!bool"} // a word may look like a number
}

// oneOrMore reads a value or a list of different values.
func oneOrMore[T comparable](d *decoder, n *yaml.Node, key string, read func(*yaml.Node, *T) bool) []T {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		var ok bool
		if elements, ok = d.List(n, key, "write one value, or a list of them"); !ok {
			return nil
		}
	}
	var values []T
	for _, e := range elements {
		var value T
		if !read(e, &value) {
			continue
		}
		if slices.Contains(values, value) {
			d.Report(e, fmt.Sprintf("%s has %v twice", key, value), "remove one of the two")
			continue
		}
		values = append(values, value)
	}
	return values
}
