package docs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/scenario"
)

var update = flag.Bool("update", false, "write what the pages say of the program anew")

// TestScenariosPage holds the page about scenarios to what the program says of
// each.
func TestScenariosPage(t *testing.T) {
	name := filepath.Join(root, "docs/scenarios.md")
	page := read(t, name)
	head, rest, begun := strings.Cut(page, "-update -->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end -->")
	if !begun || !ended {
		t.Fatal("the page has no place for the scenarios")
	}
	var list strings.Builder
	for _, s := range scenario.All() {
		describeScenario(&list, s)
	}
	want := head + "-update -->\n" + list.String() + "<!-- end -->" + tail
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(page, "\n")); diff != "" {
		t.Errorf("docs/scenarios.md is not what the scenarios say; run the test with -update (-want +got):\n%s", diff)
	}
}

func describeScenario(w *strings.Builder, s scenario.Scenario) {
	fmt.Fprintf(w, "\n### %s\n\n%s. %s\n\n", s.Name, sentence(s.Title), s.Description)
	if len(s.Aliases) > 0 {
		fmt.Fprintf(w, "- Also called: %s\n", strings.Join(s.Aliases, ", "))
	}
	if needs := s.Requires.Words(); needs != "" {
		fmt.Fprintf(w, "- Needs: %s\n", needs)
	}
	var parameters, metrics []string
	for _, p := range s.Parameters {
		parameters = append(parameters, fmt.Sprintf("`%s` (%s)", p.Name, strings.Join(p.Defaults(), ", ")))
	}
	for _, m := range s.Metrics {
		metrics = append(metrics, fmt.Sprintf("`%s` (%s)", m.Name, m.Unit))
	}
	fmt.Fprintf(w, "- Parameters: %s\n- Metrics: %s\n", strings.Join(parameters, ", "), strings.Join(metrics, ", "))
}

// sentence begins a text with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
