package result

import (
	"errors"
	"fmt"
	"os"
)

// Writing tells whether a run is writing the results right now: whether a
// living process holds their lock. The error is errors.ErrUnsupported where
// that cannot be known.
func (d *Dir) Writing() (bool, error) {
	f, err := d.open(JournalFile)
	if err != nil {
		return false, fmt.Errorf("asking for the lock: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	file, ok := f.(*os.File)
	if !ok {
		return false, fmt.Errorf("asking for the lock: %w", errors.ErrUnsupported)
	}
	locked, err := isLocked(file)
	if err != nil {
		return false, fmt.Errorf("asking for the lock: %w", err)
	}
	return locked, nil
}
