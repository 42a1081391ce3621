package probe

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

func putCommand(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("put", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	var spec PutSpec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	if err := putFile(spec, in); err != nil {
		return err
	}
	return WriteFrame(stdout, FrameFile, File{Path: spec.Path, Size: spec.Size})
}

// putFile writes the file under another name first: a program that runs cannot
// be written to, but it can be replaced.
func putFile(spec PutSpec, content io.Reader) error {
	dir := filepath.Dir(spec.Path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".put-*")
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if spec.Executable {
		mode = 0o755
	}
	_, err = io.CopyN(f, content, int64(spec.Size))
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), spec.Path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", spec.Path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

func getCommand(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("get", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec GetSpec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	if err := spec.Validate(); err != nil {
		return err
	}
	file, err := getFile(spec.Path)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameFile, file)
}

func getFile(path string) (File, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return File{Path: path, Missing: true}, nil
	}
	if err != nil {
		return File{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return File{}, err
	}
	if len(content) > maxFile {
		return File{}, fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return File{Path: path, Size: len(content), Content: content}, nil
}

// installCommand copies this program to where another container finds it, so
// that an image without it can be used.
func installCommand(_ context.Context, args []string, _ io.Reader, _ io.Writer) error {
	path, args := shift(args)
	if path == "" || path[0] == '-' {
		return &usageError{"install needs a path", "give where to copy the program to, such as /load/cnibench-probe"}
	}
	if err := parseFlags("install", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer func() { _ = self.Close() }() // it was only read
	info, err := self.Stat()
	if err != nil {
		return err
	}
	return putFile(PutSpec{Path: path, Size: int(info.Size()), Executable: true}, self)
}
