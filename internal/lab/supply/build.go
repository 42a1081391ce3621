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
	f, err := os.Open(filepath.Join(dir, program.Output))
	if err != nil {
		return manifest{}, fmt.Errorf("reading %s: %w", program.Name, err)
	}
	defer func() { _ = f.Close() }() // only read from
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return manifest{}, fmt.Errorf("reading %s: %w", program.Name, err)
	}
	m := manifest{
		Outputs: []string{program.Output}, Digest: hex.EncodeToString(sum.Sum(nil)),
		Versions: map[string]string{program.Name: pin.Version},
	}
	for _, link := range program.Links {
		m.Outputs = append(m.Outputs, filepath.Join(filepath.Dir(program.Output), link))
	}
	for _, c := range program.Copies {
		m.Outputs = append(m.Outputs, c.To)
	}
	return m, nil
}
