package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/capture"
)

func captureCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("capture", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	var spec capture.Spec
	if err := readSpec(in, &spec); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // a read error means the same as the end
		cancel()
	}()
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
	if err := readSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	sent, err := SendCanary(ctx, spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameCanary, sent)
}
