package probe

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/probe/recording"
)

// recordGC keeps the heap small: samples are garbage as soon as they are
// written, and there is time to collect it.
const recordGC = 25

// statusError passes a command's exit status on.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }

// recordCommand records what a file's first line says, and becomes the program
// that exports it.
func recordCommand(_ context.Context, args []string, _ io.Reader, _ io.Writer) error {
	path, args := shift(args)
	if path == "" || path[0] == '-' {
		return &usageError{"record needs a file with a plan", "`cnibench record` makes one"}
	}
	if err := parseFlags("record", args, func(*flag.FlagSet) {}); err != nil {
		return err
	}
	debug.SetGCPercent(recordGC)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	plan, err := recording.ReadPlan(file)
	if err != nil {
		return err
	}
	result, err := recording.Run(plan, file)
	// Who is impatient now is not heard: what was recorded is to be kept.
	signal.Ignore(unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil && result.Lost == "" {
		result.Lost = err.Error()
	}
	argv := append(plan.Finish.Argv, strconv.Itoa(result.Status), result.Lost)
	err = unix.Exec(plan.Finish.Path, argv, os.Environ())
	return &statusError{max(result.Status, 1), fmt.Errorf("exporting the recording in %s with %s: %w", path, plan.Finish.Path, err)}
}
