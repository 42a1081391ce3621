package document

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Keys says what a mapping may hold.
type Keys struct {
	Valid []string
}

// Fields holds the values of a mapping. The key that a misspelt one was meant
// to be has nil, so that it is not reported as missing too.
type Fields map[string]*yaml.Node

// Pair is one entry of a mapping, aliases resolved.
type Pair struct {
	Key, Value *yaml.Node
}

// Object reads a mapping that may hold only the given keys. It returns false
// when n is no mapping at all.
func (r *Reader) Object(n *yaml.Node, what string, k Keys) (Fields, bool) {
	if n.Kind != yaml.MappingNode {
		r.Report(n, fmt.Sprintf("%s must be a mapping, not %s", what, Describe(n)), "its keys are "+strings.Join(k.Valid, ", "))
		return nil, false
	}
	f := Fields{}
	for _, p := range r.Pairs(n) {
		name := p.Key.Value
		if slices.Contains(k.Valid, name) {
			f[name] = p.Value
			continue
		}
		r.Report(p.Key, fmt.Sprintf("unknown key %q in %s", name, what), r.keyHint(name, k))
		if meant, ok := Nearest(name, k.Valid); ok && f[meant] == nil {
			f[meant] = nil
		}
	}
	return f, true
}

func (r *Reader) keyHint(name string, k Keys) string {
	if name == "<<" {
		return "merge keys are not read: write the keys out"
	}
	return DidYouMean(name, k.Valid, "the keys are "+strings.Join(k.Valid, ", "))
}

// Pairs returns the entries of a mapping that have a key of their own, and
// reports the others.
func (r *Reader) Pairs(n *yaml.Node) []Pair {
	var pairs []Pair
	first := map[string]int{} // line
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := Resolve(n.Content[i]), Resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			r.Report(n.Content[i], "a key must be a word, not "+Describe(key), "quote a key that begins with { or [")
			continue
		}
		if line, repeated := first[key.Value]; repeated {
			r.Report(n.Content[i], fmt.Sprintf("key %q is repeated; it is on line %d already", key.Value, line), "remove one of the two")
			continue
		}
		first[key.Value] = key.Line
		pairs = append(pairs, Pair{key, value})
	}
	return pairs
}

// Required returns the value of a key that must be there. It returns nil when
// there is none, which is then reported.
func (r *Reader) Required(n *yaml.Node, f Fields, key, hint string) *yaml.Node {
	value, there := f[key]
	if !there {
		r.Report(n, key+" is missing", hint)
	}
	return value
}

// List returns the elements of a sequence that has some.
func (r *Reader) List(n *yaml.Node, key, hint string) ([]*yaml.Node, bool) {
	if n.Kind != yaml.SequenceNode {
		r.Report(n, fmt.Sprintf("%s must be a list, not %s", key, Describe(n)), hint)
		return nil, false
	}
	if len(n.Content) == 0 {
		r.Report(n, key+" is empty", hint)
		return nil, false
	}
	elements := make([]*yaml.Node, len(n.Content))
	for i, e := range n.Content {
		elements[i] = Resolve(e)
	}
	return elements, true
}

// Resolve follows an alias to what it stands for.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// IsNull tells whether there is nothing where a value should be.
func IsNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// Describe names the value of a node for a message.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if IsNull(n) {
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
