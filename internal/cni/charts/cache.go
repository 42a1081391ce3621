package charts

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Cache is a directory of what was fetched, each file by the SHA-256 of its
// content, and an index that says where each came from.
type Cache string

// DefaultCache is charts in $CNIBENCH_CACHE, else in cnibench's directory of
// the user's cache.
func DefaultCache() (Cache, error) {
	if dir := os.Getenv("CNIBENCH_CACHE"); dir != "" {
		return Cache(filepath.Join(dir, "charts")), nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory: %w", err)
	}
	return Cache(filepath.Join(dir, "cnibench", "charts")), nil
}

// find gives the file that is kept under a key, if its content is still what
// its name says.
func (c Cache) find(key string) (string, bool) {
	name, err := os.ReadFile(c.pointer(key))
	if err != nil {
		return "", false
	}
	path := filepath.Join(string(c), filepath.Base(string(name)))
	data, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(filepath.Base(path), digest(data)) {
		return "", false
	}
	return path, true
}

// keep stores content under its digest, and the key as a pointer to it. Each
// file appears whole or not at all.
func (c Cache) keep(key, suffix string, data []byte) (string, error) {
	path := filepath.Join(string(c), digest(data)+suffix)
	if err := os.MkdirAll(filepath.Join(string(c), "index"), 0o755); err != nil {
		return "", fmt.Errorf("keeping a chart: %w", err)
	}
	if err := errors.Join(write(path, data), write(c.pointer(key), []byte(filepath.Base(path)))); err != nil {
		return "", fmt.Errorf("keeping a chart: %w", err)
	}
	return path, nil
}

func (c Cache) pointer(key string) string {
	return filepath.Join(string(c), "index", digest([]byte(key)))
}

func write(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return os.Rename(file.Name(), path)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
