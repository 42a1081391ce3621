package probe

import (
	"context"
	"io"

	"github.com/cnibench/cnibench/internal/probe/rtt"
)

func rttCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec rtt.Spec
	ctx, cancel, err := untilStdinEnds(ctx, "rtt", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	report, err := rtt.Run(ctx, spec, func(r rtt.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameRTT, report)
}
