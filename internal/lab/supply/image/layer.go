package image

import (
	"fmt"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// fileLayer is an uncompressed tar file as a layer. Nodes are on the same
// machine, where compressing costs more time than it saves.
type fileLayer struct {
	file string
	hash v1.Hash
	size int64
}

// newLayer reads a tar file once for its digest.
func newLayer(file string) (v1.Layer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading layer: %w", err)
	}
	defer func() { _ = f.Close() }() // only read from
	hash, size, err := v1.SHA256(f)
	if err != nil {
		return nil, fmt.Errorf("reading layer %s: %w", file, err)
	}
	return &fileLayer{file: file, hash: hash, size: size}, nil
}

func (l *fileLayer) Digest() (v1.Hash, error)             { return l.hash, nil }
func (l *fileLayer) DiffID() (v1.Hash, error)             { return l.hash, nil }
func (l *fileLayer) Size() (int64, error)                 { return l.size, nil }
func (l *fileLayer) MediaType() (types.MediaType, error)  { return types.DockerUncompressedLayer, nil }
func (l *fileLayer) Compressed() (io.ReadCloser, error)   { return os.Open(l.file) }
func (l *fileLayer) Uncompressed() (io.ReadCloser, error) { return os.Open(l.file) }
