//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome is what a finished command left.
type outcome struct {
	status         int
	stdout, stderr string
}

// command is a run of the program under test.
type command struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// start runs the program in the background. A test that ends first kills it
// and cleans up after it.
func start(t testing.TB, args ...string) *command {
	t.Helper()
	c := &command{t: t, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = &c.stdout, &c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatalf("starting cnibench %s: %v", strings.Join(args, " "), err)
	}
	go func() {
		_ = c.cmd.Wait() // the exit status is read in wait
		close(c.ended)
	}()
	t.Cleanup(func() {
		if !c.running() {
			return
		}
		c.signal(syscall.SIGKILL)
		c.wait()
		_ = exec.Command(program, "cleanup").Run() // what stays shows in the snapshot
	})
	return c
}

func (c *command) running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

func (c *command) signal(s os.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Errorf("sending %v to %v: %v", s, c.cmd.Args, err)
	}
}

func (c *command) wait() outcome {
	<-c.ended
	return outcome{c.cmd.ProcessState.ExitCode(), c.stdout.String(), c.stderr.String()}
}

// run runs the program to its end.
func run(t testing.TB, args ...string) outcome {
	t.Helper()
	return start(t, args...).wait()
}

// mustRun fails the test unless the program exits with 0.
func mustRun(t testing.TB, args ...string) outcome {
	t.Helper()
	o := run(t, args...)
	if o.status != 0 {
		t.Fatalf("cnibench %s: exit status %d\n%s%s", strings.Join(args, " "), o.status, o.stdout, o.stderr)
	}
	return o
}

// refused fails the test unless the program exits with the status and says on
// stderr all of what is wanted, the way every error is said.
func (o outcome) refused(t testing.TB, status int, wants ...string) {
	t.Helper()
	if o.status != status {
		t.Errorf("exit status %d, want %d\n%s", o.status, status, o.stderr)
	}
	for _, want := range append(wants, "cnibench: error: ") {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("stderr does not say %q:\n%s", want, o.stderr)
		}
	}
}

// eventually waits until a condition holds. The bound is far beyond what any
// machine needs; it keeps a broken program from hanging the tests.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
