package supply

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckSpaceAddsUp: demands on one file system count together, also below
// directories that do not exist yet.
func TestCheckSpaceAddsUp(t *testing.T) {
	dir := t.TempDir()
	_, free, err := freeSpace(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSpace([]demand{{dir, 1}, {filepath.Join(dir, "not", "yet"), 1}}); err != nil {
		t.Errorf("two bytes were refused: %v", err)
	}
	// Twice three quarters do not fit, whatever others write meanwhile.
	most := free/4*3 + 1<<30
	err = checkSpace([]demand{{dir, most}, {filepath.Join(dir, "not", "yet"), most}})
	var hinted interface{ Hint() string }
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint(), "CNIBENCH_CACHE") || !strings.Contains(err.Error(), dir) {
		t.Errorf("too much was answered with %v", err)
	}
}
