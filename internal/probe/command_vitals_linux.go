package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// vitalsCommand answers a [vitals.Spec] with one frame.
func vitalsCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("vitals", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec vitals.Spec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	return WriteFrame(stdout, vitals.Frame, vitals.Read(ctx, spec))
}
