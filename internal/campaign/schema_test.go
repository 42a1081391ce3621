package campaign_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"github.com/cnibench/cnibench/internal/campaign"
)

// resolveSchema returns a function that validates YAML by the schema.
func resolveSchema(tb testing.TB) func([]byte) error {
	tb.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(campaign.Schema(), &s); err != nil {
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

func TestSchemaAcceptsTheEmbeddedCampaigns(t *testing.T) {
	validate := resolveSchema(t)
	for name, data := range map[string][]byte{"quick": campaign.Quick(), "starter": campaign.Starter()} {
		if err := validate(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := campaign.Parse(name, data, known()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSchemaKnowsEveryKey(t *testing.T) {
	if err := resolveSchema(t)(document(everything)); err != nil {
		t.Error(err)
	}
}

// The schema refuses a slip in every mapping of the starter file, and values
// of the wrong kind.
func TestSchemaRefuses(t *testing.T) {
	validate := resolveSchema(t)
	for _, tt := range []struct{ name, old, new string }{
		{"unknown key at the root", "kind: Campaign", "kind: Campaign\nextra: 1"},
		{"unknown key in metadata", "  name: my-campaign", "  name: my-campaign\n  extra: 1"},
		{"unknown key in spec", "  blocks: 10", "  bloks: 10"},
		{"unknown key in cluster", "    lab:", "    extra: 1\n    lab:"},
		{"unknown key in lab", "nodes: 3", "node: 3"},
		{"unknown key in a variant", "- host ", "- {variant: host, extra: 1} "},
		{"a mapping as a parameter", "omit: 2s", "omit: {seconds: 2}"},
		{"unknown key in analysis", "    base: host", "    bas: host"},
		{"version", "v1alpha1", "v1"},
		{"missing spec part", "  variants:", "  variant:"},
		{"duration without a unit", "duration: 10s", "duration: 10"},
		{"margin without a percent sign", "3%", "three"},
		{"blocks in words", "blocks: 10", "blocks: ten"},
		{"a parameter's value twice", "[4, 8]", "[4, 4]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(string(campaign.Starter()), tt.old, tt.new, 1)
			if changed == string(campaign.Starter()) {
				t.Fatalf("the starter file has no %q", tt.old)
			}
			if validate([]byte(changed)) == nil {
				t.Error("accepted")
			}
		})
	}
}
