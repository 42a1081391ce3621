package probe

import (
	"errors"
	"fmt"
	"path/filepath"
)

// FrameFile is put's and get's: [File].
const FrameFile = "file"

// maxFile bounds a file that is put or got, in bytes.
const maxFile = 64 << 20

// PutSpec says what `put` writes; the content follows it on stdin.
type PutSpec struct {
	Path       string `json:"path"` // absolute; missing directories are made
	Size       int    `json:"size"` // of the content, in bytes
	Executable bool   `json:"executable,omitempty"`
}

// GetSpec says what `get` reads.
type GetSpec struct {
	Path string `json:"path"` // absolute
}

// File is what became of a file, or what it holds.
type File struct {
	Path    string `json:"path"`
	Size    int    `json:"size"`              // bytes
	Content []byte `json:"content,omitempty"` // get's
	// Missing tells that there is no such file.
	Missing bool `json:"missing,omitempty"`
}

// Validate reports what makes s unusable.
func (s PutSpec) Validate() error {
	if s.Size < 0 || s.Size > maxFile {
		return fmt.Errorf("a file of %d bytes: at most %d can be put", s.Size, maxFile)
	}
	return absolute(s.Path)
}

// Validate reports what makes s unusable.
func (s GetSpec) Validate() error { return absolute(s.Path) }

func absolute(path string) error {
	if path == "" || !filepath.IsAbs(path) {
		return errors.New("the path of a file must be absolute")
	}
	return nil
}
