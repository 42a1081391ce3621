package gobuild

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// dropImports removes blank imports from Go source by cutting their lines. It
// fails when one of them is not there, or is there for more than its side
// effects: then upstream has changed and the recipe must be looked at.
func dropImports(name string, source []byte, drop []string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(source, []byte("\n"))
	for _, path := range drop {
		i := slices.IndexFunc(file.Imports, func(spec *ast.ImportSpec) bool {
			value, err := strconv.Unquote(spec.Path.Value)
			return err == nil && value == path
		})
		if i < 0 {
			return nil, fmt.Errorf("it does not import %s", path)
		}
		spec := file.Imports[i]
		if spec.Name == nil || spec.Name.Name != "_" {
			return nil, fmt.Errorf("it uses %s, which was a blank import before", path)
		}
		// Positions as they are in the file, whatever //line says.
		line := files.PositionFor(spec.Pos(), false).Line - 1
		if !alone(lines[line], spec) {
			return nil, fmt.Errorf("it imports %s on a line with other code", path)
		}
		lines[line] = nil
	}
	return bytes.Join(lines, nil), nil
}

// alone reports whether a line holds one import and nothing else but a
// comment.
func alone(line []byte, spec *ast.ImportSpec) bool {
	text, _, _ := strings.Cut(string(line), "//")
	return slices.Equal(strings.Fields(strings.TrimPrefix(strings.TrimSpace(text), "import ")), []string{"_", spec.Path.Value})
}
