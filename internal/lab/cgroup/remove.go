package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// removeTimeout bounds the wait for dying processes to leave a group.
const removeTimeout = 10 * time.Second

// Remove deletes the group with all its descendants, in every hierarchy. Its
// processes must be dead or dying. A group that does not exist is no error.
func (h Hierarchy) Remove(path string) error {
	for _, m := range h.mounts {
		dir := filepath.Join(m, path)
		for deadline := time.Now().Add(removeTimeout); ; time.Sleep(10 * time.Millisecond) {
			err := removeTree(dir)
			if err == nil {
				break
			}
			if time.Now().After(deadline) {
				return fmt.Errorf("removing control group %s: %w", dir, err)
			}
		}
	}
	return nil
}

// RemoveIfEmpty deletes the group where it has no descendants left.
func (h Hierarchy) RemoveIfEmpty(path string) error {
	for _, m := range h.mounts {
		err := os.Remove(filepath.Join(m, path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENOTEMPTY) {
			return fmt.Errorf("removing control group %s: %w", path, err)
		}
	}
	return nil
}

func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeTree(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Exists tells whether the group is there in any hierarchy.
func (h Hierarchy) Exists(path string) bool {
	for _, m := range h.mounts {
		if _, err := os.Stat(filepath.Join(m, path)); err == nil {
			return true
		}
	}
	return false
}
