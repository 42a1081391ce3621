package gobuild

import (
	"regexp"
	"strings"
)

// kind classifies a line of go's standard error.
type kind int

const (
	message     kind = iota // errors, warnings, anything else
	downloading             // go: downloading MODULE VERSION
	compiling               // go build -v: IMPORT/PATH
)

type event struct {
	kind kind
	name string
}

// importPath is a line that go build -v writes for each package it compiles.
// Errors begin with "#", "go:" or a file name and a position.
var importPath = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/+-]*$`)

// parseLine reads one line of go's standard error.
func parseLine(line string) event {
	if module, ok := strings.CutPrefix(line, "go: downloading "); ok {
		return event{downloading, module}
	}
	if importPath.MatchString(line) {
		return event{compiling, line}
	}
	return event{message, line}
}
