package campaign

import (
	"bytes"
	_ "embed" // the files below
)

//go:embed quick.yaml
var quick []byte

//go:embed init.yaml
var starter []byte

//go:embed calibrate.yaml
var calibration []byte

//go:embed schema.json
var schema []byte

// Quick returns the campaign that a run without a file measures, as commented
// YAML.
func Quick() []byte { return bytes.Clone(quick) }

// Starter returns a commented campaign file to start from.
func Starter() []byte { return bytes.Clone(starter) }

// Calibration returns the campaign whose base is calibrated where no file is
// given, as commented YAML.
func Calibration() []byte { return bytes.Clone(calibration) }

// Schema returns the JSON Schema (draft 2020-12) of the campaign file. It
// describes the shape; which variants and scenarios there are, and how the
// parts must fit together, only Parse knows.
func Schema() []byte { return bytes.Clone(schema) }
