package result

import (
	_ "embed" // for the published schema
)

//go:embed trial.schema.json
var trialSchema string

// TrialSchema returns the published JSON Schema (draft 2020-12) of one line of
// trials.jsonl.
func TrialSchema() string { return trialSchema }
