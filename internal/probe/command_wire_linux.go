package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/capture"
)

func captureCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec capture.Spec
	ctx, cancel, err := untilStdinEnds(ctx, "capture", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	report, err := capture.Run(ctx, spec, func(r capture.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameCapture, report)
}

func canaryCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("canary", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec CanarySpec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	sent, err := SendCanary(ctx, spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameCanary, sent)
}
