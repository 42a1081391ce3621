package cni

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	jsonyaml "sigs.k8s.io/yaml"
)

// A CatalogError is a fault in a file of the catalog.
type CatalogError struct {
	File string
	Line int // from 1; 0: of the whole file
	Text string
}

func (e *CatalogError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// file is a catalog file while it is read: its content and where in it what is.
type file struct {
	name  string
	lines map[string]int // of keys and list elements, by path: "variants.a.install"
}

// decode reads a plugin strictly: every key must be known and there once, every
// value of its kind.
func decode(name string, data []byte) (Plugin, file, error) {
	f := file{name, map[string]int{}}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return Plugin{}, f, fmt.Errorf("%s: %w", name, err)
	}
	if len(document.Content) == 0 {
		return Plugin{}, f, &CatalogError{name, 0, "it is empty; write name, title and variants"}
	}
	if err := f.check("", document.Content[0], reflect.TypeFor[Plugin]()); err != nil {
		return Plugin{}, f, err
	}
	var p Plugin
	// The same text again, with the rules of charts' values: JSON's types.
	if err := jsonyaml.UnmarshalStrict(data, &p); err != nil {
		return Plugin{}, f, fmt.Errorf("%s: %w", name, err)
	}
	return p, f, nil
}

// fault makes an error at a path, or at the nearest thing above it.
func (f file) fault(path, format string, args ...any) error {
	for {
		if line, ok := f.lines[path]; ok {
			return &CatalogError{f.name, line, fmt.Sprintf(format, args...)}
		}
		cut := strings.LastIndex(path, ".")
		if cut < 0 {
			return &CatalogError{f.name, 0, fmt.Sprintf(format, args...)}
		}
		path = path[:cut]
	}
}

// check compares a node with the type that it is meant for and notes lines.
func (f file) check(path string, n *yaml.Node, t reflect.Type) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if n.Tag == "!!null" {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.checkTable(path, n, fieldsOf(t), nil)
	case reflect.Map:
		return f.checkTable(path, n, nil, t.Elem())
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			return f.wants(path, n, "a list")
		}
		for i, element := range n.Content {
			at := below(path, fmt.Sprint(i))
			f.lines[at] = element.Line
			if err := f.check(at, element, t.Elem()); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if n.Kind == yaml.MappingNode { // for repeated keys
			return f.checkTable(path, n, nil, t)
		}
	default:
		want := scalars[t.Kind()]
		if n.Kind != yaml.ScalarNode || want.tag != "" && n.Tag != want.tag {
			return f.wants(path, n, want.name)
		}
	}
	return nil
}

// scalars says how values of a kind are written. Any scalar that YAML does not
// take for something else is text.
var scalars = map[reflect.Kind]struct{ tag, name string }{
	reflect.String: {"", "text"},
	reflect.Int:    {"!!int", "a whole number"},
	reflect.Bool:   {"!!bool", "true or false"},
}

func (f file) wants(path string, n *yaml.Node, what string) error {
	key := path[strings.LastIndex(path, ".")+1:]
	if path == "" {
		key = "the file"
	}
	return &CatalogError{f.name, n.Line, fmt.Sprintf("%s must be %s", key, what)}
}

// checkTable checks keys and their values: fields has the allowed ones, nil
// allows any, each value of the type element.
func (f file) checkTable(path string, n *yaml.Node, fields map[string]reflect.Type, element reflect.Type) error {
	if n.Kind != yaml.MappingNode {
		return f.wants(path, n, "a table of keys and values")
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		t := element
		if fields != nil {
			var known bool
			if t, known = fields[key.Value]; !known {
				return &CatalogError{f.name, key.Line, fmt.Sprintf("unknown key %s%s", key.Value, didYouMean(key.Value, keysOf(fields)))}
			}
		}
		if seen[key.Value] {
			return &CatalogError{f.name, key.Line, fmt.Sprintf("%s is there twice; remove one", key.Value)}
		}
		seen[key.Value] = true
		at := below(path, key.Value)
		f.lines[at] = key.Line
		if err := f.check(at, value, t); err != nil {
			return err
		}
	}
	return nil
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// fieldsOf lists the fields of a type by their JSON names.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("json"); name != "" {
			fields[name] = t.Field(i).Type
		}
	}
	return fields
}

func keysOf[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
