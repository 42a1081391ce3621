package debian

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// CheckLibraries fails when a program in the tree, or a library in a default
// directory, needs a library or loader that the dynamic loader would not find
// there. Plugins elsewhere may lack theirs: they belong to packages that are
// left out on purpose.
func CheckLibraries(t *tree.Tree) error {
	triplets := map[string]bool{}
	for _, e := range t.Entries() {
		if isLibrary(e.Path) {
			triplets[path.Dir(e.Path)] = true
		}
	}
	var missing []error
	for _, e := range t.Entries() {
		header, err := readELF(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Path, err)
		}
		if header == nil || header.interpreter == "" && !isLibrary(e.Path) {
			continue
		}
		if header.interpreter != "" {
			if _, ok := t.Resolve(header.interpreter); !ok {
				missing = append(missing, fmt.Errorf("%s needs the loader %s, which no package has", e.Path, header.interpreter))
			}
		}
		for _, library := range header.needed {
			if !findLibrary(t, library, e.Path, header.paths, triplets) {
				missing = append(missing, fmt.Errorf("%s needs %s, which no package has", e.Path, library))
			}
		}
	}
	return errors.Join(missing...)
}

// findLibrary searches as ld.so(8) does: the file's own paths, then the
// default directories.
func findLibrary(t *tree.Tree, library, user string, paths []string, defaults map[string]bool) bool {
	for _, dir := range paths {
		dir = strings.NewReplacer("$ORIGIN", "/"+path.Dir(user), "${ORIGIN}", "/"+path.Dir(user)).Replace(dir)
		if _, ok := t.Resolve(path.Join(dir, library)); ok {
			return true
		}
	}
	for dir := range defaults {
		if _, ok := t.Resolve(path.Join(dir, library)); ok {
			return true
		}
	}
	return false
}
