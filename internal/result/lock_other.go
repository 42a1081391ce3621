//go:build !unix

package result

import (
	"errors"
	"os"
)

// lockFile fails where there is no flock: reading results works everywhere,
// writing them needs a lock.
func lockFile(*os.File) error {
	return errors.New("this operating system has no flock: results can be read here, not written")
}

// isLocked cannot be known without flock.
func isLocked(*os.File) (bool, error) { return false, errors.ErrUnsupported }
