package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// inferred is the schema of what the program writes. Readers of one version
// may meet fields that a later one adds.
func inferred(t *testing.T) []byte {
	t.Helper()
	s, err := jsonschema.For[Document](nil)
	if err != nil {
		t.Fatal(err)
	}
	open(s)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.ID = "https://cnibench.io/schemas/analysis/v1/report.schema.json"
	s.Title = "Report"
	s.Description = "What `cnibench report --format json` writes: the analysis of a results directory, and every number that the HTML report shows. " +
		"Numbers are not rounded and in the metric's own unit. Readers ignore properties they do not know and refuse another major version."
	s.Properties["schema"].Pattern = `^cnibench\.io/analysis/v1(\.[0-9]+)?$`
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// open lets objects have properties that are not listed.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	switch {
	case len(s.Properties) > 0:
		s.AdditionalProperties = nil
	case s.AdditionalProperties != nil: // a map, which may be nil
		s.Type, s.Types = "", []string{"null", "object"}
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

func TestPublishedSchema(t *testing.T) {
	want := inferred(t)
	if *update {
		if err := os.WriteFile("report.schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(want), DocumentSchema()); diff != "" {
		t.Errorf("report.schema.json is not of what the program writes; -update accepts (-program +file):\n%s", diff)
	}
}

// Whatever the results are, the document is one that the schema allows.
func TestDocumentsFollowTheSchema(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(inferred(t), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	a, env, series := synthetic(t)
	evil, evilEnv, evilSeries := hostile(t)
	choice := syntheticRankings(t, a)
	p := syntheticPlan(syntheticVariants, 10)
	none, err := analysis.Analyze(p, nil, result.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]Source{
		"synthetic": {Analysis: a, Environment: env, Series: series}, "hostile": {Analysis: evil, Environment: evilEnv, Series: evilSeries},
		"nothing measured": {Analysis: none}, "adaptive": {Analysis: adaptiveCampaign(t)},
		"latencies": withLatencies(t, true), "claims": {Analysis: a, Claims: syntheticClaims(t)},
		"rankings": {Analysis: a, Rankings: choice.Rankings, Decision: choice.Decision},
	} {
		var b bytes.Buffer
		if err := JSON(&b, source); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		delete(v.(map[string]any), "tally")
		if resolved.Validate(v) == nil {
			t.Errorf("%s: the schema does not miss the tally", name)
		}
	}
}
