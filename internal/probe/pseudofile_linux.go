package probe

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// pseudoFile is a file of procfs or cgroupfs that is read again and again. It
// stays open: a pread at offset 0 makes the kernel write it anew, at a
// fraction of the cost of looking its path up.
type pseudoFile struct {
	path string
	file *os.File // nil until the first read, and after its cgroup is gone
	buf  []byte
}

func newPseudoFile(path string) *pseudoFile { return &pseudoFile{path: path} }

// read returns the content, valid until the next read. The error wraps
// fs.ErrNotExist when there is no such file now.
func (f *pseudoFile) read() ([]byte, error) {
	if f.file != nil {
		data, err := f.readOpen()
		if !errors.Is(err, unix.ENODEV) {
			return data, err
		}
		f.close() // the cgroup was removed; another may have its name by now
	}
	file, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	f.file = file
	data, err := f.readOpen()
	if errors.Is(err, unix.ENODEV) {
		f.close()
		return nil, fmt.Errorf("reading %s: %w", f.path, fs.ErrNotExist)
	}
	return data, err
}

func (f *pseudoFile) readOpen() ([]byte, error) {
	if f.buf == nil {
		f.buf = make([]byte, 4096)
	}
	for {
		n, err := f.file.ReadAt(f.buf, 0)
		if errors.Is(err, io.EOF) {
			return f.buf[:n], nil
		}
		if err != nil {
			return nil, err
		}
		f.buf = make([]byte, 2*len(f.buf)) // it was full: there may be more
	}
}

func (f *pseudoFile) close() {
	if f.file != nil {
		_ = f.file.Close() // only read from
		f.file = nil
	}
}
