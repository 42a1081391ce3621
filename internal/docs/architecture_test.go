package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestArchitectureExplainsDependencies wants a line for every module that we
// require ourselves.
func TestArchitectureExplainsDependencies(t *testing.T) {
	text := read(t, filepath.Join(root, "ARCHITECTURE.md"))
	for _, name := range []string{"go.mod", "hack/tools/go.mod", "hack/actionlint/go.mod", "hack/benchstat/go.mod"} {
		mod, err := modfile.Parse(name, []byte(read(t, filepath.Join(root, name))), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range mod.Tool {
			if !strings.Contains(text, "`"+tool.Path+"`") {
				t.Errorf("ARCHITECTURE.md does not say why %s has %s", name, tool.Path)
			}
		}
		for _, r := range mod.Require {
			if !r.Indirect && !strings.Contains(text, "`"+r.Mod.Path+"`") {
				t.Errorf("ARCHITECTURE.md does not say why %s needs %s", name, r.Mod.Path)
			}
		}
	}
}

// TestArchitectureNamesPackages wants every package in the table of layers.
func TestArchitectureNamesPackages(t *testing.T) {
	text := read(t, filepath.Join(root, "ARCHITECTURE.md"))
	for _, top := range []string{"cmd", "internal"} {
		err := fs.WalkDir(os.DirFS(root), top, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			dir := filepath.Dir(name)
			if strings.HasSuffix(name, ".go") && !strings.Contains(text, "`"+dir+"`") {
				t.Errorf("ARCHITECTURE.md does not name %s", dir)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
