package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/cnibench/cnibench/internal/probe"
)

// ask runs a command of the probe that answers with one frame and decodes it.
// A command that failed and yet answered has answered.
func ask(ctx context.Context, run Runner, kind string, into any, argv ...string) error {
	var stdout, stderr bytes.Buffer
	failed := run(ctx, argv, nil, &stdout, &stderr)
	got, payload, err := probe.ReadFrame(bufio.NewReader(&stdout))
	switch {
	case err != nil && failed != nil:
		return fmt.Errorf("%w: %s", failed, bytes.TrimSpace(stderr.Bytes()))
	case err != nil:
		return fmt.Errorf("reading the answer of cnibench-probe %q: %w", argv, err)
	case got != kind:
		return fmt.Errorf("cnibench-probe %q answered with a frame of kind %s", argv, got)
	}
	return json.Unmarshal(payload, into)
}
