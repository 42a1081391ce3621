package importer

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The commands of docs/import.md on files that are there do what it says.
func TestExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`(?m)^    cnibench import (\S+) (examples/\S+)(?: --name '([^']+)')? --out \S+$`).FindAllStringSubmatch(string(page), -1)
	if len(calls) < 5 {
		t.Fatalf("the page has %d examples", len(calls))
	}
	for _, call := range calls {
		got := mustImport(t, call[1], "../../"+call[2], Options{Pattern: call[3]})
		if got.summary.OK == 0 {
			t.Errorf("%s: nothing is ok: %+v", call[0], got.summary)
		}
	}
	for _, f := range Formats() {
		if !strings.Contains(string(page), "\n## "+f.Name) {
			t.Errorf("the page has no section for %s", f.Name)
		}
	}
}
