package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/result"
)

// largestFile is the most of one file that is read into memory: the journal of
// 100,000 trials is smaller.
const largestFile = 512 << 20

// regular is a directory of which regular files of a sensible size can be read,
// and no link leads out of it. What a stranger put there cannot make a reader
// wait for ever, as a pipe would, or show another file of this machine.
type regular struct{ root *os.Root }

// Open opens a file or a directory by its name with slashes.
func (r regular) Open(name string) (fs.File, error) {
	info, err := fs.Stat(r.root.FS(), name)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("this is no regular file")}
	case info.Size() > largestFile && !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("the file has %d bytes, more than %d", info.Size(), largestFile)}
	}
	return r.root.FS().Open(name)
}

// Stat describes what Open would open.
func (r regular) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.root.FS(), name) }

// place is a directory that is opened anew for every use: it may be moved away
// and made again meanwhile.
type place struct {
	parent, name string // an empty name: parent itself
}

// path is what messages call it.
func (p place) path() string { return filepath.Join(p.parent, p.name) }

// open opens the place, and no other that a link may lead to from its parent.
// The caller closes it.
func (p place) open() (*os.Root, error) {
	root, err := os.OpenRoot(p.parent)
	if err != nil || p.name == "" {
		return root, err
	}
	sub, err := below(root, p.name)
	return sub, errors.Join(err, root.Close())
}

// below opens a directory in another one.
func below(root *os.Root, name string) (*os.Root, error) {
	sub, err := root.OpenRoot(name)
	if err == nil {
		return sub, nil
	}
	if info, statErr := root.Lstat(name); statErr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("a link that leads out of here is not followed, so serve the directory that it leads to: %w", err)
	}
	return nil, err
}

// use opens the place as a results directory for the time of a function.
func (p place) use(f func(*os.Root, *result.Dir) error) (err error) {
	root, err := p.open()
	if err != nil {
		return fmt.Errorf("opening results: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	d, err := result.OpenFS(p.path(), regular{root})
	if err != nil {
		return err
	}
	return f(root, d)
}

// isResults tells whether a directory holds what a run writes first or last, so
// that a broken results directory counts as one.
func isResults(root *os.Root) bool {
	for _, name := range []string{result.PlanFile, result.JournalFile} {
		if _, err := root.Lstat(name); err == nil {
			return true
		}
	}
	return false
}
