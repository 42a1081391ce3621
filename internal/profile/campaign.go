package profile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/plan"
)

// campaignName is how a profile's campaign is called; names are labels of at
// most 63 bytes.
func (p Profile) campaignName() string {
	name := "profile-" + p.Name
	return strings.TrimRight(name[:min(63, len(name))], "-")
}

// Planned is the share of the weight, from 0 to 1, that a plan measures, and
// what of the profile it leaves out.
func (p Profile) Planned(of plan.Plan) (share float64, lacking []string) {
	for _, m := range p.Weights {
		if m.Lacking == "" && slices.ContainsFunc(m.Of, func(q Pattern) bool { return slices.ContainsFunc(of.Cells, q.matches) }) {
			share += m.Weight / p.total()
		} else {
			lacking = append(lacking, m.What)
		}
	}
	return min(1, share), lacking
}

// CampaignFile returns a campaign that measures what the profile weighs, as
// YAML. It fails when the profile does not say how.
func (p Profile) CampaignFile() ([]byte, error) {
	var spec yaml.Node
	if len(p.Campaign) == 0 {
		return nil, fmt.Errorf("the profile %s does not say how it is measured", p.Name)
	}
	if err := yaml.Unmarshal(p.Campaign, &spec); err != nil {
		return nil, fmt.Errorf("reading the campaign of the profile %s: %w", p.Name, err)
	}
	return encode(p.comment(), mapping(
		text("apiVersion"), text(APIVersion), text("kind"), text("Campaign"),
		text("metadata"), mapping(text("name"), text(p.campaignName())),
		text("spec"), spec.Content[0],
	))
}

func (p Profile) comment() string {
	return fmt.Sprintf("# Measures what the profile %s weighs: %s.", p.Name, p.Title)
}

// Onto returns a campaign file that measures what the profile weighs where and
// on what the given file says: its scenarios and what it declares about them
// give way to the profile's.
func (p Profile) Onto(data []byte) ([]byte, error) {
	own, err := p.CampaignFile()
	if err != nil {
		return nil, err
	}
	var mine, theirs yaml.Node
	if err := yaml.Unmarshal(own, &mine); err != nil {
		return nil, fmt.Errorf("reading the campaign of the profile %s: %w", p.Name, err)
	}
	if err := yaml.Unmarshal(data, &theirs); err != nil {
		return nil, fmt.Errorf("reading the campaign: %w", err)
	}
	if theirs.Kind != yaml.DocumentNode {
		return nil, errors.New("reading the campaign: the file is empty")
	}
	root := theirs.Content[0]
	spec, name := value(root, "spec"), value(value(root, "metadata"), "name")
	if spec == nil || name == nil || name.Kind != yaml.ScalarNode {
		return nil, errors.New("reading the campaign: spec and name have to be written out")
	}
	*name = *text(p.campaignName())
	from := value(mine.Content[0], "spec")
	set(spec, "scenarios", value(from, "scenarios"))
	if analysis := value(spec, "analysis"); analysis != nil {
		// What was declared is about scenarios that are not there any more.
		set(analysis, "primary", value(value(from, "analysis"), "primary"))
		set(analysis, "margins", value(value(from, "analysis"), "margins"))
		if len(analysis.Content) == 0 {
			set(spec, "analysis", nil)
		}
	} else if primary := value(value(from, "analysis"), "primary"); primary != nil {
		set(spec, "analysis", mapping(text("primary"), primary))
	}
	return encode(p.comment(), root)
}

// value returns the value of a mapping's key; nil when there is none.
func value(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// set gives a mapping's key a value, or takes it away for nil.
func set(n *yaml.Node, key string, to *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if to == nil {
			n.Content = append(n.Content[:i], n.Content[i+2:]...)
		} else {
			n.Content[i+1] = to
		}
		return
	}
	if to != nil {
		n.Content = append(n.Content, text(key), to)
	}
}

func text(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

func mapping(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: content}
}

func encode(comment string, root *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(comment + "\n")
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(root); err != nil {
		return nil, fmt.Errorf("writing the campaign: %w", err)
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("writing the campaign: %w", err)
	}
	return b.Bytes(), nil
}
