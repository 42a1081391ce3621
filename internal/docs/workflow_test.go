package docs_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Workflows that users copy are ones that GitHub accepts.
func TestWorkflowsOfDeploy(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "deploy/github/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	for _, file := range files {
		relative, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "tool", "-modfile="+filepath.Join("hack", "actionlint", "go.mod"), "actionlint", "-shellcheck=", "-pyflakes=", relative)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("actionlint %s: %v\n%s", relative, err, out)
		}
	}
}
