package tree

import (
	"archive/tar"
	"path"
	"strings"
)

// maxLinks is the kernel's limit on symbolic links in one path (path_resolution(7)).
const maxLinks = 40

// Resolve follows links from a path to a regular file, as the kernel would with
// the tree as root. Hard links count as files.
func (t *Tree) Resolve(name string) (Entry, bool) {
	for range maxLinks {
		e, ok := t.entries[Merged(name)]
		if !ok {
			target, found := t.throughParent(Merged(name))
			if !found {
				return Entry{}, false
			}
			name = target
			continue
		}
		switch e.Type {
		case tar.TypeReg:
			return e, true
		case tar.TypeLink:
			name = e.Link
		case tar.TypeSymlink:
			name = follow(e.Path, e.Link)
		default:
			return Entry{}, false
		}
	}
	return Entry{}, false
}

// throughParent replaces the longest prefix of a path that is a symbolic link.
func (t *Tree) throughParent(name string) (string, bool) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if e, ok := t.entries[dir]; ok && e.Type == tar.TypeSymlink {
			return path.Join(follow(dir, e.Link), strings.TrimPrefix(name, dir)), true
		}
	}
	return "", false
}

// follow joins a link's place and its target.
func follow(link, target string) string {
	if path.IsAbs(target) {
		return target
	}
	return path.Join("/", path.Dir(link), target)
}
