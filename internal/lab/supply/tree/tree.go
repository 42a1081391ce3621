// Package tree composes file trees out of packages and single files, with the
// directory layout of today's distributions (/bin, /lib … are links into /usr),
// and writes them to a directory or as a tar stream that is the same bytes for
// the same content.
package tree

import (
	"archive/tar"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Entry is one file, directory or link. Times are not kept: trees have fixed
// ones.
type Entry struct {
	Path string // relative and clean: "usr/bin/env"
	Type byte   // tar.TypeReg, TypeDir, TypeSymlink or TypeLink
	Mode int64  // permission bits with setuid, setgid and sticky, as in a tar header
	UID  int
	GID  int
	Link string // target of a symbolic link as written, or the Path of a hard link's target
	Size int64  // bytes of a regular file
	File string // where a regular file's content lies; empty: Data is the content
	Data []byte
}

// Open reads the content of a regular file.
func (e Entry) Open() (io.ReadCloser, error) {
	if e.File == "" {
		return io.NopCloser(strings.NewReader(string(e.Data))), nil
	}
	return os.Open(e.File)
}

// Tree is a set of entries by path.
type Tree struct {
	entries map[string]Entry
}

// New makes an empty tree.
func New() *Tree { return &Tree{entries: map[string]Entry{}} }

// Add puts an entry at its merged path. Directories may meet; any other second
// entry at a path is an error.
func (t *Tree) Add(e Entry) error {
	e.Path = Merged(e.Path)
	if e.Path == "" || e.Type == tar.TypeDir && topLinks[e.Path] || e.Type == tar.TypeSymlink && topLinks[e.Path] {
		return nil // the root and the merged directories are Seal's work
	}
	if e.Type == tar.TypeLink {
		e.Link = Merged(e.Link)
	}
	if old, ok := t.entries[e.Path]; ok {
		if old.Type == tar.TypeDir && e.Type == tar.TypeDir {
			return nil
		}
		return fmt.Errorf("%s is in the tree twice", e.Path)
	}
	t.entries[e.Path] = e
	return nil
}

// RemoveEmptyDir takes a directory away in which nothing is, and tells whether
// there was one.
func (t *Tree) RemoveEmptyDir(name string) bool {
	name = Merged(name)
	if e, ok := t.entries[name]; !ok || e.Type != tar.TypeDir {
		return false
	}
	for other := range t.entries {
		if strings.HasPrefix(other, name+"/") {
			return false
		}
	}
	delete(t.entries, name)
	return true
}

// AddTree puts all entries of other into t.
func (t *Tree) AddTree(other *Tree) error {
	for _, e := range other.Entries() {
		if err := t.Add(e); err != nil {
			return err
		}
	}
	return nil
}

// AddData puts a regular file with the given content.
func (t *Tree) AddData(name string, mode int64, data string) error {
	return t.Add(Entry{Path: name, Type: tar.TypeReg, Mode: mode, Size: int64(len(data)), Data: []byte(data)})
}

// AddFile puts the content of a host file.
func (t *Tree) AddFile(name string, mode int64, file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("adding %s: %w", name, err)
	}
	return t.Add(Entry{Path: name, Type: tar.TypeReg, Mode: mode, Size: info.Size(), File: file})
}

// AddDir puts a directory.
func (t *Tree) AddDir(name string, mode int64) error {
	return t.Add(Entry{Path: name, Type: tar.TypeDir, Mode: mode})
}

// AddLink puts a symbolic link.
func (t *Tree) AddLink(name, target string) error {
	return t.Add(Entry{Path: name, Type: tar.TypeSymlink, Mode: 0o777, Link: target})
}

// Get finds the entry at a path, which is merged first.
func (t *Tree) Get(name string) (Entry, bool) {
	e, ok := t.entries[Merged(name)]
	return e, ok
}

// Entries lists all entries sorted by path, so that directories come before
// what is in them.
func (t *Tree) Entries() []Entry {
	out := make([]Entry, 0, len(t.entries))
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		out = append(out, t.entries[name])
	}
	return out
}

// Seal adds the missing parent directories and, for a whole root file system,
// the links of the merged layout. It fails when a parent is not a directory or
// a hard link has no target.
func (t *Tree) Seal(root bool) error {
	for _, e := range t.Entries() {
		if err := t.addParents(e.Path); err != nil {
			return err
		}
		if target, ok := t.entries[e.Link]; e.Type == tar.TypeLink && (!ok || target.Type != tar.TypeReg) {
			return fmt.Errorf("hard link %s: its target %s is not in the tree", e.Path, e.Link)
		}
	}
	if !root {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(topLinks)) {
		if _, ok := t.entries["usr/"+name]; ok {
			t.entries[name] = Entry{Path: name, Type: tar.TypeSymlink, Mode: 0o777, Link: "usr/" + name}
		}
	}
	return nil
}

func (t *Tree) addParents(name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		e, ok := t.entries[dir]
		if ok && e.Type != tar.TypeDir {
			return fmt.Errorf("%s lies under %s, which is not a directory", name, dir)
		}
		if !ok {
			t.entries[dir] = Entry{Path: dir, Type: tar.TypeDir, Mode: 0o755}
		}
	}
	return nil
}

// Under lists the regular files directly or further below a directory.
func (t *Tree) Under(dir string) []Entry {
	var out []Entry
	for _, e := range t.Entries() {
		if e.Type == tar.TypeReg && strings.HasPrefix(e.Path, Merged(dir)+"/") {
			out = append(out, e)
		}
	}
	return out
}

// AddHardLink puts another name for the regular file at target.
func (t *Tree) AddHardLink(name, target string) error {
	return t.Add(Entry{Path: name, Type: tar.TypeLink, Link: target})
}
