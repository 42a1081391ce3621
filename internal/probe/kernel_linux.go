package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// kernelCommand answers a [kernel.Spec] with one frame.
func kernelCommand(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("kernel", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec kernel.Spec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	report, err := kernel.Examine(spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameKernel, report)
}
