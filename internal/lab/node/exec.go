//go:build linux

package node

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
)

// namespaceFD is the descriptor that a service inherits.
const namespaceFD = 3 // the machine's control group namespace

// ExecService is Exec for a child of a node's pid 1, whose control group
// namespace it leaves for the machine's.
func ExecService(group string, argv []string) error {
	runtime.LockOSThread() // until the program is replaced
	if err := unix.Setns(namespaceFD, unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("returning to the machine's control groups: %w", err)
	}
	unix.CloseOnExec(namespaceFD)
	return Exec(group, argv)
}

// Exec joins a control group and replaces the process by a program, so that
// the program and everything it starts is counted, frozen and killed with it.
func Exec(group string, argv []string) error {
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	if err := groups.Join(group); err != nil {
		return err
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("finding %s: %w", argv[0], err)
	}
	if err := unix.Exec(path, argv, os.Environ()); err != nil {
		return fmt.Errorf("running %s: %w", path, err)
	}
	return nil
}

// Pause waits to be told to end and reaps meanwhile: the process that holds a
// pod's namespaces.
func Pause() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGCHLD, unix.SIGTERM, unix.SIGINT)
	for s := range signals {
		if s != unix.SIGCHLD {
			return
		}
		reap()
	}
}
