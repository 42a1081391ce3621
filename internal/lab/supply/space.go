package supply

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
)

// demand is space wanted below a directory, in bytes.
type demand struct {
	dir   string
	bytes int64
}

// filesystem is where demands meet.
type filesystem struct {
	free   int64
	wanted int64
	dirs   []string
}

// checkSpace fails when a file system has less free space than all demands on
// it together.
func checkSpace(demands []demand) error {
	found := map[uint64]*filesystem{}
	for _, d := range demands {
		id, free, err := freeSpace(d.dir)
		if err != nil {
			return fmt.Errorf("looking for free space: %w", err)
		}
		if found[id] == nil {
			found[id] = &filesystem{free: free}
		}
		found[id].wanted += d.bytes
		if !slices.Contains(found[id].dirs, d.dir) {
			found[id].dirs = append(found[id].dirs, d.dir)
		}
	}
	var problems []error
	for _, f := range found {
		if f.free < f.wanted {
			problems = append(problems, fmt.Errorf("%s: %s free, and the build may need %s",
				strings.Join(f.dirs, " and "), gigabytes(f.free), gigabytes(f.wanted)))
		}
	}
	return advice.Wrap(errors.Join(problems...),
		"free some space, or put the caches elsewhere with CNIBENCH_CACHE, GOCACHE and GOMODCACHE")
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// freeSpace looks at the nearest directory that exists.
func freeSpace(dir string) (id uint64, free int64, err error) {
	var stat unix.Stat_t
	for err = unix.Stat(dir, &stat); errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir; err = unix.Stat(dir, &stat) {
		dir = filepath.Dir(dir)
	}
	if err != nil {
		return 0, 0, &fs.PathError{Op: "stat", Path: dir, Err: err}
	}
	var statfs unix.Statfs_t
	if err := unix.Statfs(dir, &statfs); err != nil {
		return 0, 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return uint64(stat.Dev), int64(statfs.Bavail) * int64(statfs.Bsize), nil
}
