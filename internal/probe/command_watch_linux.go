package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func watchCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var text, report, read string
	limit := time.Minute
	err := parseFlags("watch", args, func(f *flag.FlagSet) {
		f.StringVar(&text, "spec", "", "")
		f.StringVar(&report, "report", "", "")
		f.StringVar(&read, "read", "", "")
		f.DurationVar(&limit, "limit", limit, "")
	})
	if err != nil {
		return err
	}
	switch {
	case read != "":
		return readReport(ctx, read, limit, stdout)
	case (text == "") != (report == ""):
		return &usageError{"watch needs both --spec and --report, or neither", "without them the specification comes from stdin, and frames go to stdout"}
	case text != "":
		return watchAlone(ctx, text, report)
	}
	in := bufio.NewReader(stdin)
	var spec WatchSpec
	if err := ReadSpec(in, &spec); err != nil {
		return err
	}
	return watchFor(ctx, spec, in, stdout)
}

// watchFor answers a caller's commands until there are no more.
func watchFor(ctx context.Context, spec WatchSpec, in io.Reader, frames io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	boot, err := readBootID()
	if err != nil {
		return err
	}
	w, err := startWatch(ctx, spec)
	if err != nil {
		return err
	}
	if err := WriteFrame(frames, FrameReady, WatchReady{BootID: boot}); err != nil {
		return err
	}
	commands := make(chan WatchCommand)
	go func() { cancel(readCommands(ctx, in, commands)) }()
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case command := <-commands:
			if err := w.obey(ctx, command, frames); err != nil {
				return err
			}
		}
	}
}

// readCommands passes commands on until there are no more; the end is io.EOF.
func readCommands(ctx context.Context, in io.Reader, commands chan<- WatchCommand) error {
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	for {
		var command WatchCommand
		if err := decoder.Decode(&command); err != nil {
			return fmt.Errorf("reading a command: %w", err)
		}
		select {
		case commands <- command:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *watch) obey(ctx context.Context, command WatchCommand, frames io.Writer) error {
	if command.Clock {
		return WriteFrame(frames, FrameClock, WatchClock{Now: time.Now().UTC()})
	}
	if command.Await == nil {
		return errors.New("a command of a watch asks for nothing")
	}
	if err := w.add(ctx, command.Targets); err != nil {
		return err
	}
	watched, err := w.await(ctx, *command.Await)
	if err != nil {
		return err
	}
	return WriteFrame(frames, FrameWatched, watched)
}

// watchAlone is a pod's program: it tries its targets from its first moment,
// writes what it saw to a file once it has settled, and waits to be ended.
func watchAlone(ctx context.Context, text, report string) error {
	var spec WatchSpec
	if err := ReadSpec(bufio.NewReader(strings.NewReader(text)), &spec); err != nil {
		return err
	}
	if spec.Await == nil {
		return errors.New("watch specification has nothing to await")
	}
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := startWatch(watching, spec)
	if err != nil {
		return err
	}
	watched, err := w.await(watching, *spec.Await)
	if ctx.Err() != nil {
		return nil // it was ended early
	}
	if err != nil {
		return err
	}
	cancel()
	if err := writeReport(report, watched); err != nil {
		return err
	}
	Pause()
	return nil
}

// writeReport writes a frame to a file that appears when it is complete.
func writeReport(file string, watched Watched) error {
	part, err := os.Create(file + ".part")
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := errors.Join(WriteFrame(part, FrameWatched, watched), part.Close()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return os.Rename(part.Name(), file)
}

// readReport waits for a report and copies it to stdout.
func readReport(ctx context.Context, file string, limit time.Duration, stdout io.Writer) error {
	deadline := time.Now().Add(limit)
	for {
		frame, err := os.ReadFile(file)
		if err == nil {
			_, err = stdout.Write(frame)
			return err
		}
		if !errors.Is(err, os.ErrNotExist) || time.Now().After(deadline) {
			return fmt.Errorf("waiting for the watch's report for %v: %w", limit, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchPoll):
		}
	}
}

func listenCommand(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	var spec ListenSpec
	ctx, cancel, err := untilStdinEnds(ctx, "listen", args, stdin, &spec)
	if err != nil {
		return err
	}
	defer cancel()
	return Listen(ctx, spec, stdout)
}
