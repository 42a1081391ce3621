package call

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/cnibench/cnibench/internal/probe"
)

const usage = `cnibench-call makes calls over HTTP/1.1, HTTP/2, HTTP/3 and gRPC at a fixed rate. It is started by cnibench.

Usage:
    cnibench-call serve < SPEC    answer calls until stdin ends
    cnibench-call run   < SPEC    make calls, report on them

SPEC is JSON on one line. stdin stays open: its end means that the caller is
gone. Results are frames on stdout.

Exit status: 0 done, 1 failed, 2 usage.

Example:
    (echo '{"protocol":"h2","address":"127.0.0.1","port":0,"responseBytes":1024,"tls":true}'; sleep 2) | cnibench-call serve
`

// errCallerGone ends a client that nobody waits for.
var errCallerGone = errors.New("stdin was closed: the caller is gone")

// Main runs the program with the given arguments, without its name, and returns
// its exit status.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	var err error
	switch {
	case len(args) == 1 && args[0] == "serve":
		err = serveCommand(ctx, stdin, stdout)
	case len(args) == 1 && args[0] == "run":
		err = runCommand(ctx, stdin, stdout)
	case len(args) == 1 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help"):
		_, _ = io.WriteString(stdout, usage) // nowhere to tell of a failure
	default:
		_, _ = fmt.Fprint(stderr, "cnibench-call: error: one command is needed\ncnibench-call: hint: give serve or run; --help explains them\n")
		return 2
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "cnibench-call: error: %v\n", err)
		return 1
	}
	return 0
}

func serveCommand(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var spec ServerSpec
	ctx, cancel, err := untilStdinEnds(ctx, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	served, err := Serve(ctx, spec, func(r Ready) error { return probe.WriteFrame(stdout, probe.FrameReady, r) })
	if err != nil {
		return err
	}
	return probe.WriteFrame(stdout, FrameServed, served)
}

func runCommand(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var spec ClientSpec
	ctx, cancel, err := untilStdinEnds(ctx, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	report, err := Run(ctx, spec)
	if err != nil {
		return err
	}
	return probe.WriteFrame(stdout, FrameReport, report)
}

// untilStdinEnds reads the specification, and returns a context that ends with
// stdin.
func untilStdinEnds(ctx context.Context, stdin io.Reader, spec any) (context.Context, func(), error) {
	in := bufio.NewReader(stdin)
	if err := probe.ReadSpec(in, spec); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, in) // a read error means the same as the end
		cancel(errCallerGone)
	}()
	return ctx, func() { cancel(nil) }, nil
}
