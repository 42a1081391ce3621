package profile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// resolveSchema returns a function that validates YAML by the schema.
func resolveSchema(tb testing.TB) func([]byte) error {
	tb.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(), &s); err != nil {
		tb.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		tb.Fatal(err)
	}
	return func(data []byte) error {
		var document any
		if err := yaml.Unmarshal(data, &document); err != nil {
			return err
		}
		return resolved.Validate(document)
	}
}

func TestSchemaAcceptsTheProfiles(t *testing.T) {
	validate := resolveSchema(t)
	for _, name := range Names() {
		data, err := File(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What Parse refuses for its shape, the schema refuses, too.
func TestSchemaRefuses(t *testing.T) {
	validate := resolveSchema(t)
	for _, name := range []string{"slips", "empty", "list"} {
		data, err := os.ReadFile(filepath.Join("testdata", "errors", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if validate(data) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	good, err := File("low-resource")
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"weight: 30", "weight: 0"}, {"weight: 30", "wieght: 30"}, {"margin: 50MiB", "margin: 50 MiB"}, {"kind: Profile", "kind: Campaign"},
		{"metric: image-bytes", "metrics: image-bytes"}, {"wants: [network-policy", "wants: [policies"},
	} {
		changed := strings.Replace(string(good), change[0], change[1], 1)
		if changed == string(good) {
			t.Fatalf("the profile has no %q", change[0])
		}
		if validate([]byte(changed)) == nil {
			t.Errorf("%q is accepted", change[1])
		}
		if _, err := Parse("changed.yaml", []byte(changed)); err == nil {
			t.Errorf("Parse accepts %q", change[1])
		}
	}
}

func TestSchemaKnowsTheFeatures(t *testing.T) {
	var schema struct {
		Defs struct {
			Features struct {
				Items struct {
					Enum []string `json:"enum"`
				} `json:"items"`
			} `json:"features"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(schema.Defs.Features.Items.Enum))
	if diff := cmp.Diff(slices.Sorted(slices.Values(Features)), got); diff != "" {
		t.Errorf("features (-code +schema):\n%s", diff)
	}
}
