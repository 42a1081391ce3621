package supply

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cnibench/cnibench/internal/lab/supply/advice"
	"github.com/cnibench/cnibench/internal/lab/supply/progress"
)

// embedded holds our own static programs when cnibench was built with them.
//
//go:embed all:programs
var embedded embed.FS

const (
	nodeProgram  = "cnibench-node"
	probeProgram = "cnibench-probe"
)

// programSums reads the SHA-256 in hex of each of our programs.
func programSums(programs fs.FS) (map[string]string, error) {
	sums := map[string]string{}
	for _, name := range []string{nodeProgram, probeProgram} {
		data, err := fs.ReadFile(programs, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, advice.Wrap(errors.New("this cnibench was built without its node programs"), "build it with make build")
		}
		if err != nil {
			return nil, fmt.Errorf("reading the embedded programs: %w", err)
		}
		sum := sha256.Sum256(data)
		sums[name] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}

// ProbeProgram returns cnibench-probe, whole.
func ProbeProgram() ([]byte, error) {
	programs, err := fs.Sub(embedded, "programs")
	if err == nil {
		_, err = programSums(programs)
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadFile(programs, probeProgram)
}

// buildPrograms writes the embedded programs.
func (p *plan) buildPrograms(_ context.Context, dir string, _ *progress.Step) (manifest, error) {
	for name := range p.sums {
		data, err := fs.ReadFile(p.programs, name)
		if err != nil {
			return manifest{}, fmt.Errorf("reading the embedded programs: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			return manifest{}, fmt.Errorf("writing the embedded programs: %w", err)
		}
	}
	digest, err := hashJSON(p.sums)
	return manifest{Outputs: []string{nodeProgram, probeProgram}, Digest: digest}, err
}
