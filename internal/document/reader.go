package document

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Reader walks the nodes of one file and collects what is wrong with them.
type Reader struct {
	File     string // only to name it in problems
	Problems Problems
}

// Report adds a problem at the place of n.
func (r *Reader) Report(n *yaml.Node, message, hint string) {
	r.Problems = append(r.Problems, Problem{
		File: r.File, Line: max(1, n.Line), Column: n.Column, Message: message, Hint: hint,
	})
}

// Root returns the root node of the one document in the file, nil when there
// is none, which is then reported. what names the kind of document, such as
// "campaign"; hint says where one comes from.
func (r *Reader) Root(data []byte, what, hint string) *yaml.Node {
	roots, err := Roots(data)
	switch {
	case err != nil:
		r.syntax(data, err)
		return nil
	case len(roots) == 0 || IsNull(roots[0]):
		r.Report(&yaml.Node{}, "the file holds no "+what, hint)
		return nil
	case len(roots) > 1:
		r.Report(roots[1], "the file holds a second document", "write one "+what+" per file")
	}
	return Resolve(roots[0])
}

// Constant reports a key that is missing or has another value than it must.
func (r *Reader) Constant(n *yaml.Node, f Fields, key, want string) {
	value := r.Required(n, f, key, "add "+key+": "+want)
	if value != nil && (value.Kind != yaml.ScalarNode || value.Value != want) {
		r.Report(value, key+" must be "+want+", not "+Describe(value), "write "+key+": "+want)
	}
}

// Roots returns the root node of every document in data.
func Roots(data []byte) ([]*yaml.Node, error) {
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

func (r *Reader) syntax(data []byte, err error) {
	var place yaml.Node
	message := err.Error()
	if m := yamlError.FindStringSubmatch(message); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // 0 where the library does not tell
		message = m[2]
	}
	if line, ok := brokenLine(data); ok {
		place.Line = line
	}
	r.Report(&place, "not valid YAML: "+message, "look at indentation (spaces, no tabs), colons and quotes there and just above")
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
		if _, err := Roots(data[:end]); err == nil {
			return n, true
		}
	}
	return 0, false
}
