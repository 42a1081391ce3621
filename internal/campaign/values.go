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
)

// values reads the Helm values of a variant: a mapping, or the name of a file
// that holds one. No values are nil.
func (d *decoder) values(n *yaml.Node) map[string]any {
	mapping, place := n, ""
	if n.Kind != yaml.MappingNode {
		if mapping = d.valuesFile(n); mapping == nil {
			return nil
		}
		place = n.Value + ": "
	}
	var values map[string]any
	if err := mapping.Decode(&values); err != nil {
		d.report(n, "values: "+place+oneLine(err), "write a mapping of keys and values, as Helm takes it")
		return nil
	}
	values, err := asJSON(values)
	if err != nil {
		d.report(n, "values: "+place+err.Error(), "put the value, or the key, in quotes")
		return nil
	}
	return values
}

// valuesFile returns the mapping in the file that n names, nil when there is
// none, which is then reported.
func (d *decoder) valuesFile(n *yaml.Node) *yaml.Node {
	const hint = "write the name of a file, or a mapping: {KEY: VALUE}"
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.report(n, "values must be a mapping or the name of a file, not "+describe(n), hint)
		return nil
	}
	var name string
	if !d.nonEmpty(n, "values", hint, &name) {
		return nil
	}
	if d.known.ReadFile == nil {
		d.report(n, "values: files cannot be read here", "write the values themselves: values: {KEY: VALUE}")
		return nil
	}
	data, err := d.known.ReadFile(name)
	if err != nil {
		d.report(n, "values: "+oneLine(err), "the name is relative to the campaign file's directory")
		return nil
	}
	file := &decoder{file: name}
	root := file.document(data)
	if root != nil && root.Kind != yaml.MappingNode && len(file.problems) == 0 {
		file.report(root, "values must be a mapping, not "+describe(root), "")
	}
	for _, p := range file.problems {
		if root == nil && isBlank(data) {
			p.Message = "the file holds no values"
		}
		p.Hint = ""
		d.report(n, "values: "+p.String(), "the file must hold one mapping of keys and values, as Helm takes it")
	}
	if len(file.problems) > 0 {
		return nil
	}
	return root
}

// isBlank tells whether a file is valid YAML without a document, or one that
// is null.
func isBlank(data []byte) bool {
	roots, err := readDocuments(data)
	return err == nil && (len(roots) == 0 || isNull(roots[0]))
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
		return errors.New("a date is not a value of Helm's")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is not a number of JSON's", v)
		}
	}
	return nil
}

// oneLine is the error without its line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
