package campaign

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Twins says how a campaign becomes one that measures a single variant under
// two names. What is empty or nil stays as the file has it.
type Twins struct {
	// Variant is the name of one of the campaign's variants, which keeps all
	// that the file says about it, or an entry of the catalog, NAME or
	// NAME@VERSION. Empty, it is the campaign's base.
	Variant      string
	Blocks       int
	FreshCluster *bool
	Scenarios    []string // instead of the file's
	Duration     string   // of every scenario that takes one
	// Existing is a cluster that exists, instead of the file's.
	Existing *Existing
}

// twinsSuffix ends the name of the second twin.
const twinsSuffix = "-twin"

// Twin returns the campaign file of an A/A campaign: cluster, scenarios and
// margins are those of the given file, its variants give way to a pair of
// twins. Of several MTUs the twins have their variant's, or else the first.
// The name of the file serves only to name it in problems, which are those of
// Parse: the file has to be good.
func Twin(file string, data []byte, t Twins, known Known) ([]byte, error) {
	c, err := Parse(file, data, known)
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the campaign: %w", err)
	}
	root := document.Content[0]
	spec := at(root, "spec")
	name, variants := at(root, "metadata", "name"), at(spec, "variants")
	if spec == nil || name == nil || variants == nil {
		return nil, errors.New("reading the campaign: name and variants have to be written out, not merged from elsewhere")
	}
	*name = *scalar(truncated("calibrate-"+c.Metadata.Name, 0))
	first, mtu := t.choose(c, variants)
	*variants = yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{first.node, first.twin()}}
	if mtu > 0 {
		*at(spec, "cluster", "lab", "mtu") = *scalar(strconv.Itoa(mtu))
	}
	t.rewrite(spec, known)
	root.HeadComment = "# A/A: one variant under two names, made by cnibench calibrate.\n" + root.HeadComment
	return encodeFile(&document)
}

// rewrite sets what is asked for besides the variants.
func (t Twins) rewrite(spec *yaml.Node, known Known) {
	// An A/A campaign measures all its blocks, and its base is the first twin.
	remove(spec, "stop")
	if analysis := at(spec, "analysis"); analysis != nil {
		if remove(analysis, "base", "aa"); len(analysis.Content) == 0 {
			remove(spec, "analysis")
		}
	}
	if t.Blocks > 0 {
		set(spec, "blocks", scalar(strconv.Itoa(t.Blocks)))
	}
	if t.FreshCluster != nil {
		set(spec, "freshCluster", scalar(strconv.FormatBool(*t.FreshCluster)))
	}
	if t.Existing != nil {
		set(spec, "cluster", mapping("existing", existingNode(*t.Existing)))
		remove(spec, "freshCluster")
	}
	scenarios := at(spec, "scenarios")
	if len(t.Scenarios) > 0 {
		scenarios.Content = chosen(scenarios.Content, t.Scenarios)
		dropTargets(spec, scenarios.Content)
	}
	if t.Duration != "" {
		for i, s := range scenarios.Content {
			scenarios.Content[i] = withDuration(s, t.Duration, known)
		}
	}
}

// pair is the variant that becomes two.
type pair struct {
	name string
	node *yaml.Node // as an element of spec.variants
}

// choose finds the variant in the file, or takes it from the catalog. mtu is
// not 0 where the file has several and one has to be chosen.
func (t Twins) choose(c Campaign, variants *yaml.Node) (p pair, mtu int) {
	mtus := c.Spec.Cluster.mtus()
	arms := max(1, len(mtus)) // of one element of the list
	if len(mtus) > 1 {
		mtu = mtus[0]
	}
	wanted := t.Variant
	if wanted == "" {
		wanted = c.Spec.Analysis.Base
	}
	for i, v := range c.Spec.Variants {
		own := withoutMTU(v)
		if wanted != v.Name && wanted != own {
			continue
		}
		if wanted == v.Name && v.MTU > 0 {
			mtu = v.MTU
		}
		// Versions were in the names of arms to tell them apart.
		n := asMapping(variants.Content[i/arms])
		if at(n, "as") == nil {
			set(n, "as", scalar(own))
		}
		return pair{own, n}, mtu
	}
	entry, version, _ := strings.Cut(wanted, "@")
	n := mapping("variant", scalar(entry))
	if version != "" {
		set(n, "version", quoted(version))
	}
	return pair{entry, n}, mtu
}

// withoutMTU is the name that an arm has where there is one MTU.
func withoutMTU(v Variant) string {
	if v.MTU == 0 {
		return v.Name
	}
	return strings.TrimSuffix(v.Name, withMTU("", v.MTU))
}

// twin is the same variant under its other name.
func (p pair) twin() *yaml.Node {
	n := clone(p.node)
	set(n, "as", scalar(truncated(p.name, len(twinsSuffix))+twinsSuffix))
	return n
}

// maxLabel is how long a label may be (RFC 1123).
const maxLabel = 63

// truncated leaves so much room in a label.
func truncated(label string, room int) string {
	return strings.TrimRight(label[:min(len(label), maxLabel-room)], "-")
}

// chosen lists the scenarios by their names, those of the file as it has them.
func chosen(have []*yaml.Node, names []string) []*yaml.Node {
	var list []*yaml.Node
	for _, name := range names {
		n := mapping("name", scalar(name))
		for _, h := range have {
			if h.Value == name || at(h, "name") != nil && at(h, "name").Value == name {
				n = h
			}
		}
		list = append(list, n)
	}
	return list
}

// dropTargets takes out targets that no scenario names any more. A target is
// also kept whose name is the value of another parameter: the file was good.
func dropTargets(spec *yaml.Node, scenarios []*yaml.Node) {
	targets := at(spec, "targets")
	if targets == nil {
		return
	}
	targets.Content = slices.DeleteFunc(targets.Content, func(t *yaml.Node) bool {
		name := at(t, "name")
		return name == nil || !slices.ContainsFunc(scenarios, func(s *yaml.Node) bool { return mentions(s, name.Value) })
	})
	if len(targets.Content) == 0 {
		remove(spec, "targets")
	}
}

// mentions tells whether a text is one of the values below a node.
func mentions(n *yaml.Node, text string) bool {
	if n.Kind == yaml.ScalarNode {
		return n.Value == text
	}
	return slices.ContainsFunc(n.Content, func(below *yaml.Node) bool { return mentions(below, text) })
}

// withDuration sets the duration of a scenario that takes one.
func withDuration(s *yaml.Node, duration string, known Known) *yaml.Node {
	if s.Kind != yaml.MappingNode {
		s = mapping("name", scalar(s.Value))
	}
	if name := at(s, "name"); name != nil {
		info, _ := known.Scenario(name.Value)
		if slices.Contains(info.parameterNames(), "duration") {
			set(s, "duration", scalar(duration))
		}
	}
	return s
}

func existingNode(e Existing) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	if e.Kubeconfig != "" {
		set(n, "kubeconfig", quoted(e.Kubeconfig))
	}
	if e.Context != "" {
		set(n, "context", quoted(e.Context))
	}
	return n
}

// asMapping writes a variant as a mapping, whichever way the file has it.
func asMapping(n *yaml.Node) *yaml.Node {
	if n = clone(n); n.Kind == yaml.MappingNode {
		return n
	}
	return mapping("variant", quoted(n.Value))
}

func mapping(key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{scalar(key), value}}
}

// quoted is text even where it looks like a number.
func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
}

// clone copies a node with all below it. What it refers to elsewhere in the
// file is copied in: there the anchor may go.
func clone(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return clone(n.Alias)
	}
	copied := *n
	copied.Anchor = ""
	copied.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		copied.Content[i] = clone(c)
	}
	return &copied
}

// set gives a key of a mapping its value, adding the key if need be.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
			return
		}
	}
	n.Content = append(n.Content, scalar(key), value)
}

func remove(n *yaml.Node, keys ...string) {
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if slices.Contains(keys, n.Content[i].Value) {
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
}

func encodeFile(document *yaml.Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("writing the campaign: %w", err)
	}
	return out.Bytes(), encoder.Close()
}
