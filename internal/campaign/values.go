package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/document"
)

// table is a mapping whose keys cnibench does not know: Helm's, Kubernetes'.
type table struct {
	key     string // of the campaign file
	example string // of a mapping
	form    string // continues "a mapping "
	holds   string // continues "the file holds no "
}

var helmValues = table{"values", "{KEY: VALUE}", "of keys and values, as Helm takes it", "values"}

// values reads the Helm values of a variant.
func (d *decoder) values(n *yaml.Node) map[string]any { return d.table(n, helmValues) }

// table reads a mapping, or the name of a file that holds one. An empty one is
// nil.
func (d *decoder) table(n *yaml.Node, t table) map[string]any {
	mapping, place := n, ""
	if n.Kind != yaml.MappingNode {
		if mapping = d.tableFile(n, t); mapping == nil {
			return nil
		}
		place = n.Value + ": "
	}
	var values map[string]any
	if err := mapping.Decode(&values); err != nil {
		d.Report(n, t.key+": "+place+oneLine(err), "write a mapping "+t.form)
		return nil
	}
	values, err := asJSON(values)
	if err != nil {
		d.Report(n, t.key+": "+place+err.Error(), "put the value, or the key, in quotes")
		return nil
	}
	return values
}

// tableFile returns the mapping in the file that n names, nil when there is
// none, which is then reported.
func (d *decoder) tableFile(n *yaml.Node, t table) *yaml.Node {
	hint := "write the name of a file, or a mapping: " + t.example
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.Report(n, t.key+" must be a mapping or the name of a file, not "+document.Describe(n), hint)
		return nil
	}
	var name string
	if !d.NonEmpty(n, t.key, hint, &name) {
		return nil
	}
	if d.known.ReadFile == nil {
		d.Report(n, t.key+": files cannot be read here", "write the "+t.holds+" themselves: "+t.key+": "+t.example)
		return nil
	}
	data, err := d.known.ReadFile(name)
	if err != nil {
		d.Report(n, t.key+": "+oneLine(err), "the name is relative to the campaign file's directory")
		return nil
	}
	file := document.Reader{File: name}
	root := file.Root(data, t.holds, "")
	if root != nil && root.Kind != yaml.MappingNode && len(file.Problems) == 0 {
		file.Report(root, t.key+" must be a mapping, not "+document.Describe(root), "")
	}
	for _, p := range file.Problems {
		p.Hint = ""
		d.Report(n, t.key+": "+p.String(), "the file must hold one mapping "+t.form)
	}
	if len(file.Problems) > 0 {
		return nil
	}
	return root
}

// asJSON makes the values what JSON makes of them, as Helm does too, so that a
// plan and the file that it is read back from hold the same. An empty mapping
// is nil.
func asJSON(values map[string]any) (map[string]any, error) {
	if len(values) == 0 {
		return nil, nil
	}
	if err := hasJSON(values); err != nil {
		return nil, err
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	var plain map[string]any
	return plain, json.Unmarshal(data, &plain)
}

// hasJSON refuses what YAML has and JSON lacks.
func hasJSON(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := hasJSON(v[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
	case []any:
		for i, value := range v {
			if err := hasJSON(value); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[any]any:
		return errors.New("a key is not a string")
	case time.Time:
		return errors.New("a date is not a value of JSON's")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is not a number of JSON's", v)
		}
	}
	return nil
}

// oneLine is the error without its line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
