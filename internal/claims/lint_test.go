package claims

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func publishedSources(t *testing.T) []Source {
	t.Helper()
	sources, err := Published(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestLintOfPublished(t *testing.T) {
	l, err := Lint(publishedSources(t))
	if err != nil {
		t.Fatal(err)
	}
	var text, markdown, data bytes.Buffer
	for _, err := range []error{LintText(&text, l), LintMarkdown(&markdown, l), LintJSON(&data, l)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "lint.txt", text.Bytes())
	golden(t, "lint.md", markdown.Bytes())
	golden(t, "lint.json", data.Bytes())
}
