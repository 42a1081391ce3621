// Package command runs the programs that the supply needs (go, apt-get,
// dpkg-deb), hands on their output line by line, and leaves no process behind
// when it is interrupted.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command is one run of a program.
type Command struct {
	Path string
	Args []string // without the program's own name
	Dir  string   // working directory; empty: the caller's
	Env  []string // the whole environment; nil: the caller's
}

// Output receives lines without their line ends; a nil function drops them.
type Output struct {
	Stdout func(line string)
	Stderr func(line string)
}

// Failure is a program that could not be started or did not succeed.
type Failure struct {
	Command string   // program and first argument, for people
	Err     error    // from package os/exec
	Tail    []string // the last lines of standard error, at most tailLines
}

// tailLines is how much of a program's last words an error repeats.
const tailLines = 12

// grace is what a program has for its own cleanup between SIGTERM and SIGKILL.
const grace = 5 * time.Second

func (f *Failure) Error() string {
	if len(f.Tail) == 0 {
		return fmt.Sprintf("%s: %v", f.Command, f.Err)
	}
	return fmt.Sprintf("%s: %v: %s", f.Command, f.Err, strings.Join(f.Tail, "\n"))
}

// Unwrap gives the error of package os/exec.
func (f *Failure) Unwrap() error { return f.Err }

// Says reports whether the program's last words contain text.
func (f *Failure) Says(text string) bool {
	return strings.Contains(strings.Join(f.Tail, "\n"), text)
}

// Run runs the program to its end. Its error is a *Failure, or ctx's error when
// that ended the program.
func (c Command) Run(ctx context.Context, out Output) error {
	stdout := &lines{emit: out.Stdout}
	err := c.run(ctx, stdout, out.Stderr)
	stdout.flush()
	return err
}

// Stream runs the program and gives its standard output to read, which may stop
// early. An error of read wins over the program's own, which would only be a
// broken pipe.
func (c Command) Stream(ctx context.Context, read func(io.Reader) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	failed := make(chan error, 1)
	go func() {
		err := read(reader)
		if err == nil {
			_, err = io.Copy(io.Discard, reader)
		}
		reader.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		if err != nil {
			cancel()
		}
		failed <- err
	}()
	err := c.run(ctx, writer, nil)
	writer.CloseWithError(err)
	if readErr := <-failed; readErr != nil && !errors.Is(readErr, err) {
		return readErr
	}
	return err
}

// run starts the program in a process group of its own, so that the terminal's
// Ctrl-C reaches it only through ctx, and its children die with it.
func (c Command) run(ctx context.Context, stdout io.Writer, onStderr func(string)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	last := &tail{}
	stderr := &lines{emit: func(line string) {
		last.add(line)
		if onStderr != nil {
			onStderr(line)
		}
	}}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err := cmd.Run()
	stderr.flush()
	if ctx.Err() != nil && cmd.Process != nil {
		// Whatever is left of the group after the grace ends here; that it is
		// gone already is the usual case and no error.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		return ctx.Err()
	}
	if err != nil {
		return &Failure{Command: c.name(), Err: err, Tail: last.lines}
	}
	return nil
}

// name is the program and its subcommand: the first argument that is not an
// option.
func (c Command) name() string {
	name := c.Path[strings.LastIndexByte(c.Path, '/')+1:]
	for _, a := range c.Args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "=") || strings.Contains(a, "/") {
			continue
		}
		return name + " " + a
	}
	return name
}
