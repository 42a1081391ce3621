package docs_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/docs"
)

// TestCampaignPage plans every campaign that the page about them shows.
func TestCampaignPage(t *testing.T) {
	blocks, _ := docs.Parse(read(t, filepath.Join(root, "docs/campaign.md")))
	dir := t.TempDir()
	if err := docs.WriteFiles(dir, blocks); err != nil {
		t.Fatal(err)
	}
	planned := 0
	for _, b := range blocks {
		if !strings.Contains(b.Text, "kind: Campaign") {
			continue
		}
		planned++
		cmd := exec.Command(program, "plan", "-f", filepath.Join(dir, b.File()))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b.File(), err, out)
		}
	}
	if planned == 0 {
		t.Error("the page shows no campaign")
	}
}
