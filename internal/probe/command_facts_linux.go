package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/facts"
)

// factsCommand answers a [facts.Spec] with one frame.
func factsCommand(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("facts", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec facts.Spec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	return WriteFrame(stdout, facts.Frame, facts.Read(spec))
}
