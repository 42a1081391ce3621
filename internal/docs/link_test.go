package docs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinks(t *testing.T) {
	got := Links("see [a](docs/a.md#part), ![b](b.png) and [elsewhere](https://example.org/c)")
	if diff := cmp.Diff([]string{"docs/a.md#part", "b.png"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnchors(t *testing.T) {
	got := Anchors("# One\n\n#notaheading\n## What it costs: `cpu`, and more\n")
	if diff := cmp.Diff([]string{"one", "what-it-costs-cpu-and-more"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
