package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// child is the command. It has the recorder's own standard input and output
// and belongs to its process group: a terminal treats both as one. A nil child
// has not been started.
type child struct {
	cmd  *exec.Cmd
	done chan error // its end
	gone bool
}

func startChild(path string, argv []string) (*child, error) {
	c := &child{cmd: &exec.Cmd{Path: path, Args: argv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}, done: make(chan error, 1)}
	if err := c.cmd.Start(); err != nil {
		var file *fs.PathError // "fork/exec PATH", where only its cause is news
		if errors.As(err, &file) {
			err = file.Err
		}
		return nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	go func() { c.done <- c.cmd.Wait() }()
	return c, nil
}

// exited delivers the command's end once.
func (c *child) exited() <-chan error {
	if c == nil {
		return nil
	}
	return c.done
}

func (c *child) running() bool { return c != nil && !c.gone }

// signal signals the command. One that has just ended needs none.
func (c *child) signal(s syscall.Signal) { _ = c.cmd.Process.Signal(s) }

// collect says how the command ended.
func (c *child) collect(err error) Command {
	c.gone = true
	state := c.cmd.ProcessState
	if state == nil { // waiting itself failed
		return Command{Status: 1, Signal: fmt.Sprint(err)}
	}
	ended := Command{Status: state.ExitCode(), UserSeconds: state.UserTime().Seconds(), SystemSeconds: state.SystemTime().Seconds()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		ended.Status = statusSignal + int(status.Signal())
		ended.Signal = unix.SignalName(status.Signal())
	}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		ended.MaxRSSBytes = usage.Maxrss << 10 // Linux counts kilobytes
	}
	return ended
}
