package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/web"
)

func webCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec web.Spec
	ctx, cancel, err := untilStdinEnds(ctx, "web", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	report, err := web.Serve(ctx, spec, func(r web.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameWeb, report)
}

func fetchCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("fetch", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec web.FetchSpec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	fetched, err := web.Fetch(ctx, spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameFetched, fetched)
}
