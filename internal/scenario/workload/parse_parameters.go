package workload

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
	"github.com/cnibench/cnibench/internal/parameter"
)

type parameterOf = parameter.Parameter

// reserved are names that every scenario's parameters have already, or that a
// campaign or a placeholder uses for something else.
var reserved = []string{"name", parameter.Placement, "path", "client", "server", "cpuset", "numa", address, port}

// parameterName is what can be a key of a campaign and in a placeholder.
var parameterName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,30}$`)

var (
	parameterKeys  = document.Keys{Valid: []string{"name", "kind", "default", "min", "max", "step", "choices", "help"}}
	parameterKinds = []string{
		string(parameter.Duration), string(parameter.Integer), string(parameter.Number), string(parameter.Bytes), string(parameter.Rate),
		string(parameter.Choice), string(parameter.Text), string(parameter.Boolean),
	}
)

func (d *decoder) parameters(n *yaml.Node, into *[]parameterOf) {
	if n == nil {
		return
	}
	elements, _ := d.List(n, "parameters", "write parameters: [{name: duration, kind: duration, default: 10s, help: …}]")
	for _, e := range elements {
		p, ok := d.parameter(e)
		if !ok {
			continue
		}
		if slices.ContainsFunc(*into, func(q parameterOf) bool { return q.Name == p.Name }) {
			d.Report(e, "there is a parameter "+p.Name+" already", "give it another name")
			continue
		}
		*into = append(*into, p)
	}
}

func (d *decoder) parameter(n *yaml.Node) (parameterOf, bool) {
	var p parameterOf
	before := len(d.Problems)
	fields, ok := d.Object(n, "a parameter", parameterKeys)
	if !ok {
		return p, false
	}
	if name := d.Required(n, fields, "name", "add name: NAME"); name != nil {
		d.parameterName(name, &p.Name)
	}
	var kind string
	if k := d.Required(n, fields, "kind", "add kind: duration, integer, number, bytes, rate, choice, text or boolean"); k != nil {
		d.Choice(k, "kind", parameterKinds, &kind)
	}
	p.Kind = parameter.Kind(kind)
	d.optional(fields["help"], "help", &p.Help)
	if len(d.Problems) > before {
		return p, false
	}
	if (p.Name == durationName || p.Name == omitName) && p.Kind != parameter.Duration {
		d.Report(n, p.Name+" must be of kind duration", "write kind: duration, or use another name")
	}
	d.choices(n, fields, &p)
	for key, into := range map[string]*string{"min": &p.Min, "max": &p.Max, "step": &p.Step} {
		d.bound(fields[key], key, p, into)
	}
	if len(d.Problems) == before {
		d.defaults(n, fields, &p)
	}
	return p, len(d.Problems) == before
}

func (d *decoder) parameterName(n *yaml.Node, into *string) {
	var name string
	if !d.Text(n, "name", &name) {
		return
	}
	switch {
	case !parameterName.MatchString(name):
		d.Report(n, "name "+document.Describe(n)+" is not one of a parameter", "use lower-case letters, digits and hyphens, at most 31, with a letter first")
	case slices.Contains(reserved, name):
		d.Report(n, name+" has a meaning of its own", "use another name")
	default:
		*into = name
	}
}

func (d *decoder) choices(n *yaml.Node, fields document.Fields, p *parameterOf) {
	list := fields["choices"]
	switch {
	case p.Kind != parameter.Choice && list != nil:
		d.Report(list, "only a parameter of kind choice has choices", "remove it, or write kind: choice")
	case p.Kind == parameter.Choice && list == nil:
		d.Report(n, "choices is missing", "add choices: [WORD, …]")
	case list != nil:
		elements, _ := d.List(list, "choices", "write choices: [WORD, …]")
		for _, e := range elements {
			// A choice becomes part of a cell's id, as a word does.
			if word, ok := d.value(e, "choices", parameterOf{Kind: parameter.Text}); ok {
				p.Choices = append(p.Choices, word)
			}
		}
	}
}

// bound reads a limit, which is a value of the parameter's kind.
func (d *decoder) bound(n *yaml.Node, key string, p parameterOf, into *string) {
	if n == nil {
		return
	}
	if slices.Contains([]parameter.Kind{parameter.Choice, parameter.Text, parameter.Boolean}, p.Kind) {
		d.Report(n, "a parameter of kind "+string(p.Kind)+" has no "+key, "remove it")
		return
	}
	if text, ok := d.value(n, key, parameterOf{Name: p.Name, Kind: p.Kind}); ok {
		*into = text
	}
	if zero := (parameter.Values{"v": *into}); key == "step" && *into != "" && isZero(zero, p.Kind) {
		d.Report(n, "step must be above zero", "remove it, or write what values are multiples of")
	}
}

func isZero(v parameter.Values, k parameter.Kind) bool {
	switch k {
	case parameter.Duration:
		return v.Duration("v") == 0
	case parameter.Bytes:
		return v.Bytes("v") == 0
	case parameter.Rate:
		return v.Rate("v") == 0
	}
	return v.Number("v") == 0
}

func (d *decoder) defaults(n *yaml.Node, fields document.Fields, p *parameterOf) {
	given := d.Required(n, fields, "default", "add default: the value of a campaign that says nothing")
	if given == nil {
		return
	}
	elements := []*yaml.Node{given}
	if given.Kind == yaml.SequenceNode {
		elements, _ = d.List(given, "default", "write one value, or a list of them")
	}
	for _, e := range elements {
		text, ok := d.value(e, "default", *p)
		if ok && slices.Contains(p.Default, text) {
			d.Report(e, "default has "+text+" twice", "remove one of the two")
		}
		p.Default = append(p.Default, text)
	}
}

// value reads one value of a parameter and returns its canonical text.
func (d *decoder) value(n *yaml.Node, key string, p parameterOf) (string, bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!null" {
		if text, err := p.Parse(n.Value); err == nil {
			return text, true
		}
	}
	d.Report(n, key+" must be "+p.Domain()+", not "+document.Describe(n), document.DidYouMean(n.Value, p.Choices, p.HintFor(n.Value)))
	return "", false
}
