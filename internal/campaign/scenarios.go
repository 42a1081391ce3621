package campaign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Limits of what a scenario may be given. iperf3, the generator with the
// narrowest ones, takes 128 streams and, in its older versions, 60 s of omit.
const (
	minDuration, maxDuration = time.Second, time.Hour
	maxOmit                  = time.Minute
	maxStreams               = 128
	maxCells                 = 1000
)

const listScenarios = `"cnibench scenarios list" shows them`

// scenarioKeys are the keys of a scenario that is written as a mapping.
var scenarioKeys = keys{
	valid: []string{"name", "duration", "omit", "streams", "placement"},
	later: map[string]string{"policies": "remove it"},
}

// scenarios also says whether all of them are good: only then is it known
// which cells there are.
func (d *decoder) scenarios(n *yaml.Node) ([]Scenario, bool) {
	before := len(d.problems)
	elements, ok := d.list(n, "scenarios", "write scenarios: [tcp-pod-single, …]; "+listScenarios)
	if !ok {
		return nil, false
	}
	var scenarios []Scenario
	line := map[Cell]int{}
	for _, e := range elements {
		s, ok := d.scenario(e)
		if !ok {
			continue
		}
		scenarios = append(scenarios, s)
		d.distinct(e, s, line)
		if len(line) > maxCells {
			d.report(e, fmt.Sprintf("more than %d cells up to here", maxCells), "split the campaign")
			break
		}
	}
	return scenarios, len(d.problems) == before
}

// distinct reports a scenario that measures what an earlier one does. line
// holds where each cell was first asked for.
func (d *decoder) distinct(n *yaml.Node, s Scenario, line map[Cell]int) {
	for _, c := range s.cells() {
		if first, repeated := line[c]; repeated {
			d.report(n, fmt.Sprintf("%s has the same parameters as on line %d", s.Name, first),
				"remove one of the two, or give it other parameters")
			return
		}
		line[c] = n.Line
	}
}

// scenario reads NAME or {name: NAME, duration: …, omit: …, …}.
func (d *decoder) scenario(n *yaml.Node) (Scenario, bool) {
	before := len(d.problems)
	var info ScenarioInfo
	var given fields
	if n.Kind == yaml.MappingNode {
		given, _ = d.object(n, "a scenario", scenarioKeys)
		if name := d.required(n, given, "name", "add name: NAME; "+listScenarios); name != nil {
			info = d.scenarioInfo(name)
		}
	} else {
		info = d.scenarioInfo(n)
	}
	if info.Name != "" {
		d.untaken(n, info, given)
	}
	s := info.defaults()
	d.parameters(given, &s)
	return s, len(d.problems) == before
}

// scenarioInfo reads the name of a scenario; the result is empty if there is
// none of that name.
func (d *decoder) scenarioInfo(n *yaml.Node) ScenarioInfo {
	var name string
	if !d.text(n, "a scenario", &name) {
		return ScenarioInfo{}
	}
	info, ok := d.known.Scenario(name)
	if !ok {
		d.report(n, "unknown scenario "+describe(n), didYouMean(name, d.known.scenarioNames(), listScenarios))
	}
	return info
}

// defaults returns the scenario as it is without any parameter given.
func (s ScenarioInfo) defaults() Scenario {
	placement := s.Placement
	if placement == "" {
		placement = CrossNode
	}
	return Scenario{
		Name: s.Name, Duration: s.Duration, Omit: s.Omit,
		Streams: []int{s.Streams}, Placement: []string{placement},
	}
}

// untaken reports parameters that the scenario does not take.
func (d *decoder) untaken(n *yaml.Node, info ScenarioInfo, given fields) {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		key := resolve(n.Content[i])
		if key.Value == "name" || given[key.Value] == nil || slices.Contains(info.Parameters, key.Value) {
			continue
		}
		hint := "remove it"
		if len(info.Parameters) > 0 {
			hint = "remove it; the scenario takes " + strings.Join(info.Parameters, ", ")
		}
		d.report(key, fmt.Sprintf("%s takes no %s", info.Name, key.Value), hint)
	}
}

func (d *decoder) parameters(given fields, s *Scenario) {
	if v := given["duration"]; v != nil {
		d.duration(v, "duration", minDuration, maxDuration, &s.Duration)
	}
	if v := given["omit"]; v != nil {
		d.duration(v, "omit", 0, maxOmit, &s.Omit)
	}
	if v := given["streams"]; v != nil {
		s.Streams = oneOrMore(d, v, "streams", func(n *yaml.Node, into *int) bool {
			return d.integer(n, "streams", 1, maxStreams, into)
		})
	}
	if v := given["placement"]; v != nil {
		s.Placement = oneOrMore(d, v, "placement", func(n *yaml.Node, into *string) bool {
			return d.choice(n, "placement", []string{CrossNode, SameNode}, into)
		})
	}
}

// oneOrMore reads a value or a list of different values.
func oneOrMore[T comparable](d *decoder, n *yaml.Node, key string, read func(*yaml.Node, *T) bool) []T {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		var ok bool
		if elements, ok = d.list(n, key, "write one value, or a list of them"); !ok {
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
			d.report(e, fmt.Sprintf("%s has %v twice", key, value), "remove one of the two")
			continue
		}
		values = append(values, value)
	}
	return values
}
