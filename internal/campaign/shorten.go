package campaign

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/parameter"
)

// effort are the parameters of scenarios that say how long or how often
// something is measured, and not what.
var effort = []string{"duration", "count"}

// Shorten returns a campaign file that measures for an n-th of the time: its
// durations, counts and blocks are divided by n and rounded to what scenarios
// take, never below their minimum. The campaign's name says so. Comments stay.
func Shorten(data []byte, n float64, known Known) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the campaign: %w", err)
	}
	root := document.Content[0]
	factor := strconv.FormatFloat(n, 'g', -1, 64)
	if name := at(root, "metadata", "name"); name != nil {
		name.Value += "-shortened-" + inLabel(factor)
	}
	if blocks := at(root, "spec", "blocks"); blocks != nil {
		number, err := strconv.ParseFloat(blocks.Value, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the number of blocks: %w", err)
		}
		blocks.Value = strconv.Itoa(int(max(1, math.Round(number/n))))
	}
	if scenarios := at(root, "spec", "scenarios"); scenarios != nil {
		for i, s := range scenarios.Content {
			shorter, err := shortenScenario(s, n, known)
			if err != nil {
				return nil, err
			}
			scenarios.Content[i] = shorter
		}
	}
	root.HeadComment = "# Shortened: durations, counts and blocks are divided by " + factor + ".\n" + root.HeadComment
	return encodeFile(&document)
}

// shortenScenario returns the scenario as a mapping with a value for every
// parameter that says how long it takes.
func shortenScenario(s *yaml.Node, n float64, known Known) (*yaml.Node, error) {
	if s.Kind != yaml.MappingNode {
		s = &yaml.Node{
			Kind: yaml.MappingNode, Style: yaml.FlowStyle, LineComment: s.LineComment, HeadComment: s.HeadComment,
			Content: []*yaml.Node{scalar("name"), scalar(s.Value)},
		}
	}
	name := at(s, "name")
	if name == nil {
		return nil, fmt.Errorf("reading the campaign: a scenario has no name")
	}
	info, ok := known.Scenario(name.Value)
	if !ok {
		return nil, fmt.Errorf("there is no scenario %q", name.Value)
	}
	for _, p := range info.Parameters {
		if !slices.Contains(effort, p.Name) {
			continue
		}
		values := at(s, p.Name)
		if values == nil {
			values = defaultNode(p)
			s.Content = append(s.Content, scalar(p.Name), values)
		}
		if err := shortenValues(values, p, n); err != nil {
			return nil, fmt.Errorf("shortening %s of %s: %w", p.Name, info.Name, err)
		}
	}
	return s, nil
}

// defaultNode writes a parameter's defaults.
func defaultNode(p parameter.Parameter) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range p.Defaults() {
		list.Content = append(list.Content, scalar(text))
	}
	if len(list.Content) == 1 {
		return list.Content[0]
	}
	return list
}

func shortenValues(n *yaml.Node, p parameter.Parameter, by float64) error {
	elements := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		elements = n.Content
	}
	for _, e := range elements {
		shorter, err := p.Shorten(e.Value, by)
		if err != nil {
			return fmt.Errorf("%q %w", e.Value, err)
		}
		e.Value = shorter
	}
	return nil
}

func scalar(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// at returns the value below a path of keys, nil when there is none.
func at(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		var below *yaml.Node
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				below = n.Content[i+1]
			}
		}
		if below == nil {
			return nil
		}
		n = below
	}
	return n
}

// inLabel writes a number as a part of a label.
func inLabel(number string) string { return notInLabels.ReplaceAllString(number, "-") }
