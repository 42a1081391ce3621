package importer

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Bounds of what is read into memory. Series are streamed and have none.
const (
	maxFile  = 64 << 20 // bytes of a table or a report
	maxFiles = 100_000  // of a directory
)

// source is the file or directory that is imported. It counts and digests what
// is read from it. Its methods may be called at the same time.
type source struct {
	path string // as given
	root fs.FS
	only string // the name of the file, if it is one

	mu      sync.Mutex
	digests map[string]string // by path
	bytes   int64
}

func openSource(path string) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Problem{File: path, What: plainError(err).Error(), Fix: "give the file or directory that the other program wrote"}
	}
	s := &source{path: path, digests: map[string]string{}}
	if info.IsDir() {
		s.root = os.DirFS(path)
		return s, nil
	}
	s.root, s.only = os.DirFS(filepath.Dir(path)), filepath.Base(path)
	return s, nil
}

// plainError is the reason of an error about a file, without its name.
func plainError(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// name is a file of the source as the user can open it.
func (s *source) name(file string) string {
	if s.only != "" {
		return s.path
	}
	return filepath.Join(s.path, filepath.FromSlash(file))
}

func (s *source) problem(file string, line int, fix, format string, args ...any) *Problem {
	return &Problem{File: s.name(file), Line: line, What: fmt.Sprintf(format, args...), Fix: fix}
}

// files lists the files whose names end in one of the given ways, sorted. Of a
// source that is a file it lists that one, however it is called.
func (s *source) files(ends ...string) ([]string, error) {
	if s.only != "" {
		return []string{s.only}, nil
	}
	var list []string
	err := fs.WalkDir(s.root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) }) {
			return nil
		}
		if list = append(list, path); len(list) > maxFiles {
			return fmt.Errorf("more than %d files", maxFiles)
		}
		return nil
	})
	if err != nil {
		return nil, s.problem(".", 0, "give the directory of one data set", "%v", plainError(err))
	}
	if len(list) == 0 {
		return nil, s.problem(".", 0, "give the directory that has them", "there is no file *%s in it", strings.Join(ends, ", *"))
	}
	return list, nil
}

// read returns a file of at most maxFile bytes.
func (s *source) read(file string) ([]byte, error) {
	f, err := s.open(file)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	if err != nil {
		_ = f.file.Close() // the first error says what is wrong
		return nil, s.problem(file, 0, "is it the file that you mean?", "%v", plainError(err))
	}
	return content, f.Close()
}

// sourceFile is a file that is digested as it is read.
type sourceFile struct {
	source *source
	path   string
	file   fs.File
	hash   hash.Hash
	size   int64
}

// open opens a file for reading it to its end. A file that is not there gives
// fs.ErrNotExist.
func (s *source) open(file string) (*sourceFile, error) {
	f, err := s.root.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", s.name(file), fs.ErrNotExist)
	}
	if err != nil {
		return nil, s.problem(file, 0, "make the file readable", "%v", plainError(err))
	}
	return &sourceFile{s, file, f, sha256.New(), 0}, nil
}

func (f *sourceFile) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	f.hash.Write(p[:n])
	f.size += int64(n)
	return n, err
}

// Close reads what is left, for the digest, and notes it.
func (f *sourceFile) Close() error {
	_, err := io.Copy(io.Discard, f)
	if err = errors.Join(err, f.file.Close()); err != nil {
		return f.source.problem(f.path, 0, "make the file readable", "%v", plainError(err))
	}
	f.source.mu.Lock()
	defer f.source.mu.Unlock()
	if _, again := f.source.digests[f.path]; !again {
		f.source.bytes += f.size
	}
	f.source.digests[f.path] = fmt.Sprintf("%x", f.hash.Sum(nil))
	return nil
}

// digest is that of everything read until now, as result.Import says.
func (s *source) digest() (digest string, files int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for path := range s.digests {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	h := sha256.New()
	for _, path := range paths {
		_, _ = fmt.Fprintf(h, "%s  %s\n", s.digests[path], path) // a hash takes everything
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), len(paths), s.bytes
}
