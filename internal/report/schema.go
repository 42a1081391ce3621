package report

import (
	_ "embed" // for the published schema
)

//go:embed report.schema.json
var documentSchema string

// DocumentSchema returns the published JSON Schema (draft 2020-12) of the JSON
// report.
func DocumentSchema() string { return documentSchema }
