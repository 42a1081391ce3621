package procfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// File is a file of procfs, sysfs or cgroupfs that is read again and again, by
// one goroutine. It stays open: a pread at offset 0 makes the kernel write it
// anew, at a fraction of the cost of looking its path up.
type File struct {
	Path  string
	file  *os.File // nil until the first read, and after its cgroup is gone
	opens int
	buf   *Buffer
}

// Buffer is the memory that files of one goroutine read into, if they share
// it; what one read gives is valid until the next read of any of them.
type Buffer struct{ bytes []byte }

// NewFile names a file, which the first [File.Read] opens. Without a buffer it
// has its own.
func NewFile(path string, buf *Buffer) *File {
	if buf == nil {
		buf = &Buffer{}
	}
	return &File{Path: path, buf: buf}
}

// Read returns the content, valid until the next read into its buffer. The
// error wraps fs.ErrNotExist when there is no such file now.
func (f *File) Read() ([]byte, error) {
	if f.file != nil {
		data, err := f.readOpen()
		if !gone(err) {
			return data, err
		}
		f.Close() // the cgroup was removed; another may have its name by now
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err
	}
	f.file = file
	f.opens++
	data, err := f.readOpen()
	if gone(err) {
		f.Close()
		return nil, fmt.Errorf("reading %s: %w", f.Path, fs.ErrNotExist)
	}
	return data, err
}

// Opens is how often the file was opened: more than once if its cgroup or
// device was replaced by another of its name.
func (f *File) Opens() int { return f.opens }

// gone is what the kernel says of an open file whose cgroup or device went.
func gone(err error) bool { return errors.Is(err, unix.ENODEV) }

func (f *File) readOpen() ([]byte, error) {
	if f.buf.bytes == nil {
		f.buf.bytes = make([]byte, 4096)
	}
	for {
		n, err := f.file.ReadAt(f.buf.bytes, 0)
		if errors.Is(err, io.EOF) {
			return f.buf.bytes[:n], nil
		}
		if err != nil {
			return nil, err
		}
		f.buf.bytes = make([]byte, 2*len(f.buf.bytes)) // it was full: there may be more
	}
}

// Close closes the file; the next [File.Read] opens it again.
func (f *File) Close() {
	if f.file != nil {
		_ = f.file.Close() // only read from
		f.file = nil
	}
}
