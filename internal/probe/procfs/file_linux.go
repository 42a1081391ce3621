package procfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// File is a file of procfs or cgroupfs that is read again and again, by one
// goroutine. It stays open: a pread at offset 0 makes the kernel write it anew, at a
// fraction of the cost of looking its path up.
type File struct {
	Path string
	file *os.File // nil until the first read, and after its cgroup is gone
	buf  []byte
}

// NewFile names a file, which the first [File.Read] opens.
func NewFile(path string) *File { return &File{Path: path} }

// Read returns the content, valid until the next read. The error wraps
// fs.ErrNotExist when there is no such file now.
func (f *File) Read() ([]byte, error) {
	if f.file != nil {
		data, err := f.readOpen()
		if !errors.Is(err, unix.ENODEV) {
			return data, err
		}
		f.Close() // the cgroup was removed; another may have its name by now
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	f.file = file
	data, err := f.readOpen()
	if errors.Is(err, unix.ENODEV) {
		f.Close()
		return nil, fmt.Errorf("reading %s: %w", f.Path, fs.ErrNotExist)
	}
	return data, err
}

func (f *File) readOpen() ([]byte, error) {
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

// Close closes the file; the next [File.Read] opens it again.
func (f *File) Close() {
	if f.file != nil {
		_ = f.file.Close() // only read from
		f.file = nil
	}
}
