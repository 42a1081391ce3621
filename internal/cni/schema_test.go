package cni

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"sigs.k8s.io/yaml"
)

// schemaOf makes the JSON Schema of a type from its fields' JSON names.
func schemaOf(t reflect.Type, definitions map[string]any) any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), definitions)
	case reflect.Struct:
		if _, known := definitions[t.Name()]; !known {
			definitions[t.Name()] = nil // Source holds Sources
			properties := map[string]any{}
			for name, field := range fieldsOf(t) {
				properties[name] = schemaOf(field, definitions)
			}
			definitions[t.Name()] = map[string]any{"type": []string{"object", "null"}, "additionalProperties": false, "properties": properties}
		}
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), definitions)}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), definitions)}
	case reflect.Interface:
		return map[string]any{}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{"type": "string"}
}

// The published schema is that of the Go types, and accepts the whole catalog.
func TestSchema(t *testing.T) {
	definitions := map[string]any{}
	root := schemaOf(reflect.TypeFor[Plugin](), definitions).(map[string]any)
	root["$schema"], root["$id"] = "https://json-schema.org/draft/2020-12/schema", "https://cnibench.io/schema/catalog.json"
	root["title"], root["$defs"] = "A file of cnibench's catalog: a network plugin and its variants", definitions
	root["required"] = []string{"name", "variants"}
	want, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("catalog.schema.json", append(want, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		Schema = append(want, '\n')
	}
	if diff := cmp.Diff(string(want), string(bytes.TrimSpace(Schema))); diff != "" {
		t.Errorf("go test -update writes it anew (-types +file):\n%s", diff)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(Schema, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("catalog/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := yaml.Unmarshal(data, &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if err := resolved.Validate(map[string]any{"name": "b", "variants": map[string]any{"b": map[string]any{"titel": "B"}}}); err == nil {
		t.Error("the schema accepts an unknown key")
	}
}
