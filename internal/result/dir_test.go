package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlanThatWasChangedIsRefused(t *testing.T) {
	w := create(t)
	file := filepath.Join(w.Path(), PlanFile)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(data), `"seed": 1`, `"seed": 2`, 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Plan(); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "hash") {
		t.Errorf("got %v, want an error about the hash that names the file", err)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	_, err := Open(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "is not a results directory: it has no plan.json") {
		t.Errorf("got %v", err)
	}
}
