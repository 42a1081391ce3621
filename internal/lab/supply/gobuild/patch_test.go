package gobuild

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const upstreamMain = `package main

import (
	"fmt"
	named "example.com/named"
	// Backends register themselves.
	_ "example.com/backend/cloud"
	_ "example.com/backend/vxlan"
)

func main() { fmt.Println(named.X) }
`

func TestDropImports(t *testing.T) {
	got, err := dropImports("main.go", []byte(upstreamMain), []string{"example.com/backend/cloud"})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(upstreamMain, "\t_ \"example.com/backend/cloud\"\n", "", 1)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestDropImportsFailsLoudly(t *testing.T) {
	tests := map[string]string{
		"example.com/backend/gone": "does not import",
		"example.com/named":        "blank import",
		"fmt":                      "blank import",
		"example.com/crowded":      "other code",
	}
	source := strings.Replace(upstreamMain, "\t_ ", "\t_ \"example.com/crowded\"; _ ", 1)
	for path, want := range tests {
		if _, err := dropImports("main.go", []byte(source), []string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("dropping %s gave %v, want %q", path, err, want)
		}
	}
}

func FuzzDropImports(f *testing.F) {
	f.Add(upstreamMain)
	f.Add("package main; import _ \"example.com/backend/cloud\"; func main() {}")
	f.Fuzz(func(t *testing.T, source string) {
		const path = "example.com/backend/cloud"
		got, err := dropImports("main.go", []byte(source), []string{path})
		if err != nil {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), "main.go", got, parser.ImportsOnly)
		if err != nil {
			t.Fatalf("the result does not parse: %v\n%s", err, got)
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"`+path+`"` && strings.Count(source, path) == 1 {
				t.Errorf("the import is still there:\n%s", got)
			}
		}
	})
}
