package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/pace"
)

func paceCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec pace.Spec
	ctx, cancel, err := paceSpec(ctx, "pace", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel(nil)
	report, err := pace.Run(ctx, spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FramePace, report)
}

func paceServeCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec pace.ServeSpec
	ctx, cancel, err := paceSpec(ctx, "pace-serve", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel(nil)
	served, err := pace.Serve(ctx, spec, func(r pace.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FramePaceServed, served)
}

// paceSpec reads a specification and returns a context that ends with stdin.
func paceSpec(ctx context.Context, command string, args []string, stdin io.Reader, spec any) (context.Context, context.CancelCauseFunc, error) {
	if err := parseFlags(command, args, func(*flag.FlagSet) {}); err != nil {
		return nil, nil, err
	}
	in := bufio.NewReader(stdin)
	if err := readSpec(in, spec); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in) // a read error means the same as the end
		cancel(errCallerGone)
	}()
	return ctx, cancel, nil
}
