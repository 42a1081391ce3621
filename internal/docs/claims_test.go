package docs_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/docs"
)

// The page of claims shows the example that is in the tree.
func TestClaimsPageShowsExample(t *testing.T) {
	blocks, _ := docs.Parse(read(t, filepath.Join(root, "docs/claims.md")))
	for _, b := range blocks {
		if b.File() == "mine.yaml" {
			if diff := cmp.Diff(read(t, filepath.Join(root, "examples/claims/mine.yaml")), b.Text); diff != "" {
				t.Errorf("docs/claims.md shows another file than examples/claims (-tree +page):\n%s", diff)
			}
			return
		}
	}
	t.Error("docs/claims.md does not show examples/claims/mine.yaml")
}
