package debian

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/command"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

// Pool holds the files of unpacked archives: metadata in memory, contents
// below one directory.
type Pool struct {
	packages []unpacked
}

type unpacked struct {
	Archive
	entries []tree.Entry
}

// unwanted are the parts of packages that no node and no image needs:
// documentation, translations and character set conversions.
var unwanted = []string{
	"usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian",
	"usr/share/bash-completion", "usr/share/bug", "usr/lib/*/gconv", "usr/lib/gconv",
}

func isUnwanted(name string) bool {
	for dir := name; dir != "."; dir = path.Dir(dir) {
		if slices.ContainsFunc(unwanted, func(pattern string) bool {
			ok, _ := path.Match(pattern, dir) // the patterns above are well-formed
			return ok
		}) {
			return true
		}
	}
	return false
}

// Unpack reads the archives. File contents go to dir, which must exist.
func Unpack(ctx context.Context, archives []Archive, dir string, step *progress.Step) (*Pool, error) {
	pool := &Pool{}
	for i, archive := range archives {
		step.Count("unpacked", i, len(archives), "packages", archive.Name)
		sub := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(sub, 0o755); err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", archive.Name, err)
		}
		var entries []tree.Entry
		unpack := command.Command{Path: "dpkg-deb", Args: []string{"--fsys-tarfile", archive.File}}
		err := unpack.Stream(ctx, func(r io.Reader) (err error) {
			entries, err = readEntries(r, sub)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", archive.Name, err)
		}
		pool.packages = append(pool.packages, unpacked{archive, entries})
	}
	return pool, nil
}

// readEntries reads a package's tar stream; regular files' contents go to
// numbered files in dir.
func readEntries(r io.Reader, dir string) ([]tree.Entry, error) {
	var entries []tree.Entry
	in := tar.NewReader(r)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		name := tree.Merged(h.Name)
		if name == "" || isUnwanted(name) {
			continue
		}
		e := tree.Entry{Path: name, Type: h.Typeflag, Mode: h.Mode & 0o7777, UID: h.Uid, GID: h.Gid, Link: h.Linkname}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeSymlink:
		case tar.TypeLink:
			e.Link = tree.Merged(h.Linkname)
		case tar.TypeReg:
			e.Size, e.File = h.Size, filepath.Join(dir, strconv.Itoa(len(entries)))
			if err := writeFile(e.File, in); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s has the unsupported type %q", name, h.Typeflag)
		}
		entries = append(entries, e)
	}
}

func writeFile(name string, content io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// find looks a package up by name.
func (p *Pool) find(name string) (unpacked, bool) {
	i := slices.IndexFunc(p.packages, func(u unpacked) bool { return u.Name == name })
	if i < 0 {
		return unpacked{}, false
	}
	return p.packages[i], true
}

// isLibrary says whether a path is in a directory where the dynamic loader
// looks by default: usr/lib, usr/lib64 and usr/lib/TRIPLET.
func isLibrary(name string) bool {
	dir := path.Dir(name)
	if dir == "usr/lib" || dir == "usr/lib64" {
		return true
	}
	parent, triplet := path.Split(dir)
	return parent == "usr/lib/" && strings.Contains(triplet, "-linux-")
}
