package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func shell(script string) Command { return Command{Path: "sh", Args: []string{"-c", script}} }

func TestRunHandsOnLines(t *testing.T) {
	var stdout, stderr []string
	err := shell(`printf 'one\r\ntwo\nlast'; printf 'careful\n' >&2`).Run(t.Context(), Output{
		Stdout: func(line string) { stdout = append(stdout, line) },
		Stderr: func(line string) { stderr = append(stderr, line) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"one", "two", "last"}, stdout); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"careful"}, stderr); diff != "" {
		t.Error(diff)
	}
}

func TestFailureRepeatsLastWords(t *testing.T) {
	err := Command{Path: "sh", Args: []string{"-c", `i=0; while [ $i -lt 20 ]; do echo line $i >&2; i=$((i+1)); done; exit 3`}}.
		Run(t.Context(), Output{})
	var failure *Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error %v is not a Failure", err)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("exit status lost: %v", err)
	}
	if len(failure.Tail) != tailLines || failure.Tail[tailLines-1] != "line 19" {
		t.Errorf("tail is %q", failure.Tail)
	}
}

func TestFailureNamesSubcommand(t *testing.T) {
	c := Command{Path: "/usr/bin/apt-get", Args: []string{"-c", "/x/apt.conf", "-o", "Dir::Cache=/x", "install", "--yes", "runc"}}
	if got := c.name(); got != "apt-get install" {
		t.Errorf("name is %q", got)
	}
}

// TestCancelKillsGrandchildren starts a shell with a child of its own and
// expects neither to outlive the context.
func TestCancelKillsGrandchildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var child int
	err := shell(`sleep 1000 & echo $!; wait`).Run(ctx, Output{Stdout: func(line string) {
		child, _ = strconv.Atoi(line) // checked below
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if child == 0 {
		t.Fatal("the shell did not tell its child")
	}
	// The dead child stays visible until init or the test's parent reaps it.
	for range 500 {
		if gone(child) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still alive", child)
}

// gone reports whether a process has ended, reaped or not.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err != nil || strings.HasPrefix(string(state), "Z")
}

func TestStreamMayStopEarly(t *testing.T) {
	var first string
	err := shell(`i=0; while [ $i -lt 50000 ]; do echo line $i; i=$((i+1)); done`).Stream(t.Context(), func(r io.Reader) error {
		line, err := bufio.NewReader(r).ReadString('\n')
		first = line
		return err
	})
	if err != nil || first != "line 0\n" {
		t.Errorf("read %q, %v", first, err)
	}
}

func TestStreamErrors(t *testing.T) {
	bad := errors.New("not a tar file")
	err := shell(`echo data; sleep 1000`).Stream(t.Context(), func(io.Reader) error { return bad })
	if !errors.Is(err, bad) {
		t.Errorf("the reader's error became %v", err)
	}
	var failure *Failure
	err = shell(`echo broken >&2; exit 1`).Stream(t.Context(), func(r io.Reader) error {
		_, err := io.ReadAll(r)
		return err
	})
	if !errors.As(err, &failure) || failure.Tail[0] != "broken" {
		t.Errorf("the program's error became %v", err)
	}
}
