package probe

import (
	"bufio"
	"context"
	"flag"
	"io"

	"github.com/cnibench/cnibench/internal/probe/tables"
)

// tablesCommand answers a [tables.Spec] with one frame.
func tablesCommand(_ context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if err := parseFlags("tables", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	var spec tables.Spec
	if err := ReadSpec(bufio.NewReader(stdin), &spec); err != nil {
		return err
	}
	report, err := tables.Read(spec)
	if err != nil {
		return err
	}
	return WriteFrame(stdout, tables.Frame, report)
}
