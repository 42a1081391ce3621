package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# Title\n\nRun `cnibench run`:\n\n```sh run\ncnibench plan\n```\n\nand\n\n```yaml my.yaml\nkind: Campaign\n```\n"

func TestParse(t *testing.T) {
	blocks, prose := Parse(page)
	want := []Block{
		{Line: 5, Language: "sh", Argument: "run", Text: "cnibench plan\n"},
		{Line: 11, Language: "yaml", Argument: "my.yaml", Text: "kind: Campaign\n"},
	}
	if diff := cmp.Diff(want, blocks); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if want := "# Title\n\nRun `cnibench run`:\n\n\n\n\n\nand\n\n\n\n\n"; prose != want {
		t.Errorf("prose is %q, want %q", prose, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(page)
	f.Add("```\n")
	f.Fuzz(func(t *testing.T, page string) {
		_, prose := Parse(page)
		if got, want := strings.Count(prose, "\n"), strings.Count(page, "\n"); got != want && got != want+1 {
			t.Errorf("the prose has %d lines, the page %d", got, want)
		}
	})
}
