package probe

import (
	"context"
	"io"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

func paceCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec pace.Spec
	ctx, cancel, err := untilStdinEnds(ctx, "pace", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	report, err := pace.Run(ctx, spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FramePace, report)
}

func paceServeCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec pace.ServeSpec
	ctx, cancel, err := untilStdinEnds(ctx, "pace-serve", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	served, err := pace.Serve(ctx, spec, func(r pace.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FramePaceServed, served)
}
