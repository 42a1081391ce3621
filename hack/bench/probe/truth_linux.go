package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// truth runs the long form of the end-to-end test of the sampler.
func truth(ctx context.Context, b *bench) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-tags", "e2e", "-run", "E2E", "-v", "./internal/probe/truth")
	cmd.Env = append(os.Environ(), "CNIBENCH_LONG=1")
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, "_test.go:"); ok {
			_, text, _ = strings.Cut(text, ": ")
			b.printf("   %s", text)
		}
	}
	return err
}
