package result

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"
)

func resolvedSchema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(TrialSchema()), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func validate(t *testing.T, r *jsonschema.Resolved, line []byte) error {
	t.Helper()
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	return r.Validate(v)
}

// What the program accepts for the journal, the published schema accepts; what
// the one refuses, the other refuses too.
func TestSchemaAgreesWithValidate(t *testing.T) {
	r := resolvedSchema(t)
	rapid.Check(t, func(rt *rapid.T) {
		trial := drawTrial(rt)
		line, err := json.Marshal(trial)
		if err != nil {
			rt.Fatal(err)
		}
		ours, theirs := trial.Validate(), validate(t, r, line)
		if (ours == nil) != (theirs == nil) {
			rt.Fatalf("Validate says %v, the schema says %v:\n%s", ours, theirs, line)
		}
	})
}

// drawTrial makes a trial that is often valid and often wrong in one place.
func drawTrial(rt *rapid.T) Trial {
	start := epoch.Add(time.Duration(rapid.IntRange(0, 1e6).Draw(rt, "start")) * time.Second)
	trial := Trial{
		Schema:   rapid.SampledFrom([]string{SchemaVersion, "cnibench.io/result/v1.2", "cnibench.io/result/v2"}).Draw(rt, "schema"),
		Block:    rapid.IntRange(0, 12).Draw(rt, "block"),
		Position: 1, Attempt: 1, Scenario: "tcp-pod-multi",
		Variant: rapid.SampledFrom([]string{"host", "cilium-kpr", "a/b", ""}).Draw(rt, "variant"),
		Cell:    "tcp-pod-multi",
		Status:  rapid.SampledFrom([]Status{OK, Failed, Invalid, Unsupported, "lost"}).Draw(rt, "status"),
		Reason:  rapid.SampledFrom([]string{"", "no route"}).Draw(rt, "reason"),
		Start:   start, End: start.Add(time.Second),
	}
	for i := range rapid.IntRange(0, 2).Draw(rt, "values") {
		trial.Values = append(trial.Values, Value{
			Metric: Metric{
				Name:   []string{"throughput", "rtt"}[i],
				Unit:   rapid.SampledFrom([]string{"bit/s", ""}).Draw(rt, "unit"),
				Better: rapid.SampledFrom([]Better{Higher, Lower, "up"}).Draw(rt, "better"),
				Scale:  rapid.SampledFrom([]Scale{Ratio, Difference}).Draw(rt, "scale"),
				Margin: rapid.SampledFrom([]float64{0, 0.03, -1}).Draw(rt, "margin"),
			},
			Value: rapid.SampledFrom([]float64{1e10, 0.5, 0, -3}).Draw(rt, "value"),
		})
	}
	// A metric that is missing and given is refused by the program alone.
	trial.Missing = rapid.SampledFrom([]map[string]string{nil, {"cpu": "the probe died"}, {"cpu": ""}, {"": "the probe died"}}).Draw(rt, "missing")
	return trial
}

func TestSchemaKnowsEveryField(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(TrialSchema()), &s); err != nil {
		t.Fatal(err)
	}
	measured := throughputTrial(1, "host", 1)
	foreign := 0.25
	measured.Conditions = map[string]Condition{"node1": {Steal: 0.125, ForeignCPU: &foreign, ClockStep: 0.5}}
	line := encode(t, measured)
	full := failedTrial(1, "host")
	full.Status, full.Attempt, full.Voids = Invalid, 2, 1
	var fields, known map[string]any
	for _, data := range [][]byte{line, encode(t, full)} {
		if err := json.Unmarshal(data, &fields); err != nil {
			t.Fatal(err)
		}
	}
	known = map[string]any{}
	for name := range s.Properties {
		known[name] = nil
	}
	for name := range fields {
		fields[name] = nil
	}
	if diff := cmp.Diff(fields, known); diff != "" {
		t.Errorf("properties (-written +schema):\n%s", diff)
	}
}
