//go:build vm

package vm

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/lab/supply"
)

var (
	programFlag = flag.String("cnibench", "../../bin/cnibench", "program under test")
	jobFlag     = flag.String("job", "../../bin/vm", "directory for the console and the commands' outputs; it is emptied first")
	limitFlag   = flag.Duration("limit", 25*time.Minute, "when the guest is killed")
	steadyFlag  = flag.Bool("steady", true, "the guest's time follows its instructions, so that a busy machine makes it late and no timeout early")
	commandFlag = flag.String("command", "true", "shell script for TestCommand")
)

// guest is the machine that all tests use.
var guest *machine

func init() {
	// Tests' main then runs on the process's main thread, with which QEMU dies.
	runtime.LockOSThread()
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(inGuest(m))
}

// inGuest boots the guest, runs the tests and powers it down.
func inGuest(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), *limitFlag)
	defer cancel()
	unlock, err := power(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vm:", err)
		return 1
	}
	defer unlock()
	status := m.Run()
	if err := guest.off(); err != nil {
		fmt.Fprintln(os.Stderr, "vm: powering down:", err)
		return 1
	}
	return status
}

// power gets all that the guest needs and boots it. The lock keeps a second
// guest waiting, because each takes all cores.
func power(ctx context.Context) (unlock func(), err error) {
	if os.Geteuid() != 0 || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("the guest needs root, and a machine with Debian for amd64")
	}
	program, err := filepath.Abs(*programFlag)
	if err != nil {
		return nil, err
	}
	// The guest has no network: the supply is made here.
	supplied := exec.CommandContext(ctx, program, "lab", "supply")
	supplied.Stdout, supplied.Stderr = os.Stdout, os.Stderr
	if err := supplied.Run(); err != nil {
		return nil, fmt.Errorf("%s lab supply: %w (`make build` makes the program)", program, err)
	}
	cache, err := supply.DefaultDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "vm")
	unlock, err = lock(dir)
	if err != nil {
		return nil, err
	}
	s, err := getStock(ctx, dir)
	if err != nil {
		return nil, err
	}
	job, err := emptyJob()
	if err != nil {
		return nil, err
	}
	guest, err = boot(ctx, s, cache, program, job)
	return unlock, err
}

// lock waits until no other test uses the directory.
func lock(dir string) (func(), error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
}

func emptyJob() (string, error) {
	job, err := filepath.Abs(*jobFlag)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(job); err != nil {
		return "", err
	}
	return job, os.MkdirAll(job, 0o755)
}
