package workload

import (
	"bytes"
	_ "embed" // the file below
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of the scenario file. It
// describes the shape; how the parts must fit together only Parse knows.
func Schema() []byte { return bytes.Clone(schema) }
