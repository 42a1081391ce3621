package supply

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/supply/gobuild"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// buildProgram builds a program from its Go module.
func (p *plan) buildProgram(ctx context.Context, program gobuild.Program, dir string, step *progress.Step) (manifest, error) {
	pin, err := program.Pin()
	if err != nil {
		return manifest{}, err
	}
	if err := p.toolchain.Build(ctx, program, dir, step); err != nil {
		return manifest{}, err
	}
	sum := sha256.New()
	for _, name := range program.Programs() {
		if err := addFile(sum, filepath.Join(dir, name)); err != nil {
			return manifest{}, fmt.Errorf("reading %s: %w", program.Name, err)
		}
	}
	return manifest{
		Outputs: program.Outputs(), Digest: hex.EncodeToString(sum.Sum(nil)),
		Versions: map[string]string{program.Name: pin.Version},
	}, nil
}

// addFile adds a file's content to a hash.
func addFile(sum io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read from
	_, err = io.Copy(sum, f)
	return err
}
