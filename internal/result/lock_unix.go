//go:build unix

package result

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile takes an exclusive flock, which the kernel releases with the file
// or with the process, however that ends. A lock that only asks, as Writing
// does, lasts for microseconds and refuses nobody: it is outwaited.
func lockFile(f *os.File) error {
	err := flock(f, unix.LOCK_EX)
	for range 50 {
		if !errors.Is(err, ErrLocked) {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = flock(f, unix.LOCK_EX)
	}
	return err
}

// isLocked asks by a shared lock, which is released at once: readers that ask
// at the same time do not see each other.
func isLocked(f *os.File) (bool, error) {
	err := flock(f, unix.LOCK_SH)
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, os.NewSyscallError("flock", unix.Flock(int(f.Fd()), unix.LOCK_UN))
}

func flock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrLocked
	}
	return os.NewSyscallError("flock", err)
}
