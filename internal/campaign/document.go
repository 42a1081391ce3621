package campaign

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// document returns the root node of the one document in the file, nil when
// there is none.
func (d *decoder) document(data []byte) *yaml.Node {
	roots, err := readDocuments(data)
	switch {
	case err != nil:
		d.syntax(data, err)
		return nil
	case len(roots) == 0 || isNull(roots[0]):
		d.report(&yaml.Node{}, "the file holds no campaign", `"cnibench init" writes one to start from`)
		return nil
	case len(roots) > 1:
		d.report(roots[1], "the file holds a second document", "write one campaign per file")
	}
	return resolve(roots[0])
}

// readDocuments returns the root node of every document in data.
func readDocuments(data []byte) ([]*yaml.Node, error) {
	stream := yaml.NewDecoder(bytes.NewReader(data))
	var roots []*yaml.Node
	for {
		var document yaml.Node
		err := stream.Decode(&document)
		if errors.Is(err, io.EOF) {
			return roots, nil
		}
		if err != nil {
			return nil, err
		}
		roots = append(roots, document.Content...)
	}
}

// yamlError is how the YAML library words a syntax error.
var yamlError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

func (d *decoder) syntax(data []byte, err error) {
	var place yaml.Node
	message := err.Error()
	if m := yamlError.FindStringSubmatch(message); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // 0 where the library does not tell
		message = m[2]
	}
	if line, ok := brokenLine(data); ok {
		place.Line = line
	}
	d.report(&place, "not valid YAML: "+message, "look at indentation (spaces, no tabs), colons and quotes there and just above")
}

// brokenLine returns the line that makes data invalid: the one after the
// longest run of lines that are valid by themselves. The YAML library names
// the start of the enclosing block instead, if anything. It gives up on files
// so long that reading them once per line would take seconds.
func brokenLine(data []byte) (int, bool) {
	const longest = 500
	lines := bytes.SplitAfter(data, []byte("\n"))
	if len(lines) > longest {
		return 0, false
	}
	end := len(data)
	for n := len(lines); n > 0; n-- {
		end -= len(lines[n-1])
		if _, err := readDocuments(data[:end]); err == nil {
			return n, true
		}
	}
	return 0, false
}
