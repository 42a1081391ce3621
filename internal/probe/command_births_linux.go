package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/birth"
)

// birthsCommand watches pods start until stdin ends.
func birthsCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	root := "/"
	if err := parseFlags("births", args, func(f *flag.FlagSet) { f.StringVar(&root, "root", root, "") }); err != nil {
		return err
	}
	in := bufio.NewReader(stdin)
	var spec birth.Spec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // a read error means the same as the end
		cancel()
	}()
	report, err := birth.Watch(ctx, root, spec, func(r birth.Ready) error { return WriteFrame(stdout, FrameReady, r) })
	if err != nil {
		return err
	}
	return WriteFrame(stdout, FrameBirths, report)
}
