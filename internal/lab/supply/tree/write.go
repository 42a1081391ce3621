package tree

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// epoch is the time of everything in a tree, so that the same content gives
// the same bytes.
var epoch = time.Unix(0, 0).UTC()

// WriteTar streams the tree, sorted by path. Call Seal first.
func (t *Tree) WriteTar(w io.Writer) error {
	out := tar.NewWriter(w)
	var links []Entry
	for _, e := range t.Entries() {
		if e.Type == tar.TypeLink {
			links = append(links, e) // a reader wants the target first
			continue
		}
		if err := writeEntry(out, e); err != nil {
			return fmt.Errorf("writing %s: %w", e.Path, err)
		}
	}
	for _, e := range links {
		if err := writeEntry(out, e); err != nil {
			return fmt.Errorf("writing %s: %w", e.Path, err)
		}
	}
	return out.Close()
}

func writeEntry(out *tar.Writer, e Entry) error {
	header := &tar.Header{
		Name: e.Path, Typeflag: e.Type, Mode: e.Mode, Uid: e.UID, Gid: e.GID,
		Linkname: e.Link, Size: e.Size, ModTime: epoch,
	}
	if e.Type == tar.TypeDir {
		header.Name += "/"
	}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	if e.Type != tar.TypeReg {
		return nil
	}
	content, err := e.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, content.Close())
}

// Extract writes the tree below dir, which must exist and be empty. Ownership
// is kept when the process is root. Call Seal first.
func (t *Tree) Extract(dir string) error {
	entries := t.Entries()
	var links []Entry
	for _, e := range entries {
		if e.Type == tar.TypeLink {
			links = append(links, e)
			continue
		}
		if err := extract(dir, e); err != nil {
			return fmt.Errorf("extracting %s: %w", e.Path, err)
		}
	}
	for _, e := range links {
		if err := os.Link(filepath.Join(dir, e.Link), filepath.Join(dir, e.Path)); err != nil {
			return fmt.Errorf("extracting %s: %w", e.Path, err)
		}
	}
	return settle(dir, entries)
}

func extract(dir string, e Entry) error {
	target := filepath.Join(dir, e.Path)
	switch e.Type {
	case tar.TypeDir:
		return os.Mkdir(target, 0o700)
	case tar.TypeSymlink:
		return os.Symlink(e.Link, target)
	case tar.TypeReg:
		return copyFile(target, e)
	}
	return fmt.Errorf("unsupported type %q", e.Type)
}

func copyFile(target string, e Entry) error {
	in, err := e.Open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// settle sets owner, mode and time; children before their directories, because
// a directory may become read-only.
func settle(dir string, entries []Entry) error {
	root := os.Geteuid() == 0
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if e.Type == tar.TypeLink {
			continue
		}
		target := filepath.Join(dir, e.Path)
		if root {
			if err := os.Lchown(target, e.UID, e.GID); err != nil {
				return fmt.Errorf("extracting: %w", err)
			}
		}
		if e.Type == tar.TypeSymlink {
			continue
		}
		if err := unix.Chmod(target, uint32(e.Mode)); err != nil {
			return fmt.Errorf("extracting: %w", &fs.PathError{Op: "chmod", Path: target, Err: err})
		}
		if err := os.Chtimes(target, epoch, epoch); err != nil {
			return fmt.Errorf("extracting: %w", err)
		}
	}
	return nil
}
