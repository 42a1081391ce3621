package supply

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
)

// DefaultDir is $CNIBENCH_CACHE, else cnibench in the user's cache directory.
func DefaultDir() (string, error) {
	if dir := os.Getenv("CNIBENCH_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", advice.Wrap(fmt.Errorf("finding the cache directory: %w", err), "set CNIBENCH_CACHE to a directory")
	}
	return filepath.Join(dir, "cnibench"), nil
}

// checkDir makes a cache directory absolute and refuses names that cannot be
// passed on: overlay mounts separate their options with : and , and take \ as
// an escape.
func checkDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the cache directory: %w", err)
	}
	if i := strings.IndexAny(dir, ":,\\\"\n"); i >= 0 {
		return "", advice.Wrap(fmt.Errorf("cache directory %s: its name contains %q, which overlay mounts cannot take", dir, dir[i]),
			"set CNIBENCH_CACHE to a directory without : , \\ and \" in its name")
	}
	return dir, nil
}
