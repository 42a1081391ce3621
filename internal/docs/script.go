package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// WriteFiles writes the files that a page shows into a directory, without
// those that belong into the source tree.
func WriteFiles(dir string, blocks []Block) error {
	for _, b := range blocks {
		name := b.File()
		if name == "" || strings.Contains(name, "/") {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.Text), 0o644); err != nil {
			return fmt.Errorf("writing the file of line %d: %w", b.Line, err)
		}
	}
	return nil
}

// Shell is the command line that runs a block and ends with its first error.
func (b Block) Shell() []string { return []string{"sh", "-eu", "-c", b.Text} }
