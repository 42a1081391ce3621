package campaign

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keys says what a mapping may hold. later are keys that the design of the
// file knows and this version of the program does not, each with a hint.
type keys struct {
	valid []string
	later map[string]string
}

// fields holds the values of a mapping. The key that a misspelt one was meant
// to be has nil, so that it is not reported as missing too.
type fields map[string]*yaml.Node

// pair is one entry of a mapping, aliases resolved.
type pair struct {
	key, value *yaml.Node
}

// object reads a mapping that may hold only the given keys. It returns false
// when n is no mapping at all.
func (d *decoder) object(n *yaml.Node, what string, k keys) (fields, bool) {
	if n.Kind != yaml.MappingNode {
		d.report(n, fmt.Sprintf("%s must be a mapping, not %s", what, describe(n)), "its keys are "+strings.Join(k.valid, ", "))
		return nil, false
	}
	f := fields{}
	for _, p := range d.pairs(n) {
		name := p.key.Value
		switch hint, later := k.later[name]; {
		case slices.Contains(k.valid, name):
			f[name] = p.value
		case later:
			d.report(p.key, fmt.Sprintf("%q is not supported by this version of cnibench", name), hint)
		default:
			d.report(p.key, fmt.Sprintf("unknown key %q in %s", name, what), d.keyHint(name, k))
			if meant, ok := nearest(name, k.valid); ok && f[meant] == nil {
				f[meant] = nil
			}
		}
	}
	return f, true
}

func (d *decoder) keyHint(name string, k keys) string {
	if name == "<<" {
		return "merge keys are not read: write the keys out"
	}
	return didYouMean(name, k.valid, "the keys are "+strings.Join(k.valid, ", "))
}

// pairs returns the entries of a mapping that have a key of their own, and
// reports the others.
func (d *decoder) pairs(n *yaml.Node) []pair {
	var pairs []pair
	first := map[string]int{} // line
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			d.report(n.Content[i], "a key must be a word, not "+describe(key), "quote a key that begins with { or [")
			continue
		}
		if line, repeated := first[key.Value]; repeated {
			d.report(n.Content[i], fmt.Sprintf("key %q is repeated; it is on line %d already", key.Value, line), "remove one of the two")
			continue
		}
		first[key.Value] = key.Line
		pairs = append(pairs, pair{key, value})
	}
	return pairs
}

// required returns the value of a key that must be there. It returns nil when
// there is none, which is then reported.
func (d *decoder) required(n *yaml.Node, f fields, key, hint string) *yaml.Node {
	value, there := f[key]
	if !there {
		d.report(n, key+" is missing", hint)
	}
	return value
}

// list returns the elements of a sequence that has some.
func (d *decoder) list(n *yaml.Node, key, hint string) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		d.report(n, fmt.Sprintf("%s must be a list, not %s", key, describe(n)), hint)
		return nil, false
	}
	if len(n.Content) == 0 {
		d.report(n, key+" is empty", hint)
		return nil, false
	}
	elements := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		elements[i] = resolve(e)
	}
	return elements, true
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe names the value of a node for a message.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if isNull(n) {
		return "nothing"
	}
	value := n.Value
	if runes := []rune(value); len(runes) > 40 {
		value = string(runes[:40]) + "…"
	}
	if n.ShortTag() == "!!str" {
		return fmt.Sprintf("%q", value)
	}
	return value
}
