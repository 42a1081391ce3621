package record

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Become replaces this program by the recorder, which is given as a whole, and
// hands it the file of a recording. It returns only if that fails.
//
// The recorder runs from memory: a file would have to lie where programs may
// be run from, and somebody would have to take it away.
func Become(recorder []byte, file string) error {
	fd, err := unix.MemfdCreate("cnibench-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("starting the recorder: %w", err)
	}
	f := os.NewFile(uintptr(fd), "cnibench-probe")
	if _, err := f.Write(recorder); err != nil {
		return errors.Join(fmt.Errorf("starting the recorder: %w", err), f.Close())
	}
	path := fmt.Sprintf("/proc/self/fd/%d", fd)
	err = unix.Exec(path, []string{"cnibench-probe", "record", file}, os.Environ())
	return errors.Join(fmt.Errorf("starting the recorder: %w", err), f.Close())
}
