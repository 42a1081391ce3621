package probe

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pinnedCommand becomes another program that runs on the given CPUs only, with
// all its threads and children. It returns only if that fails.
func pinnedCommand(_ context.Context, args []string, _ io.Reader, _ io.Writer) error {
	list, argv := shift(args)
	cpus, ok := cpuNumbers(list)
	if !ok || len(argv) == 0 {
		return &usageError{"pinned needs CPUs and a program", "give them as in pinned 0,1 PROGRAM ARGUMENT"}
	}
	// The mask is the thread's, and execve(2) keeps that of the thread it is
	// called by.
	runtime.LockOSThread()
	if err := pin(cpus); err != nil {
		return err
	}
	path, err := exec.LookPath(argv[0])
	if err == nil {
		err = unix.Exec(path, argv, os.Environ())
	}
	return fmt.Errorf("running %s on CPUs %s: %w", argv[0], list, err)
}

// pin restricts the calling thread. The kernel leaves out, without a word,
// CPUs that the process may not use; that is an error here.
func pin(cpus []int) error {
	wanted, got := unix.NewCPUSet(maxCPUs), unix.NewCPUSet(maxCPUs)
	for _, cpu := range cpus {
		wanted.Set(cpu)
	}
	if err := unix.SchedSetaffinityDynamic(0, wanted); err != nil {
		return fmt.Errorf("restricting the load to CPUs %v: %w", cpus, err)
	}
	if err := unix.SchedGetaffinityDynamic(0, got); err != nil {
		return fmt.Errorf("reading the load's CPUs back: %w", err)
	}
	for _, cpu := range cpus {
		if !got.IsSet(cpu) {
			return fmt.Errorf("the load may not use CPU %d", cpu)
		}
	}
	return nil
}

// maxCPUs is how many CPUs Linux is built for at most.
const maxCPUs = 8192

// cpuNumbers reads numbers that are separated by commas.
func cpuNumbers(list string) ([]int, bool) {
	var cpus []int
	for word := range strings.SplitSeq(list, ",") {
		cpu, err := strconv.Atoi(word)
		if err != nil || cpu < 0 || cpu >= maxCPUs {
			return nil, false
		}
		cpus = append(cpus, cpu)
	}
	return cpus, true
}
