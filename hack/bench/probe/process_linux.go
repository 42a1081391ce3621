package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// watched is a process whose cost is measured while it runs.
type watched struct {
	name  string
	pid   int
	began time.Time
	cpu   time.Duration // at began
}

func watch(name string, pid int) (*watched, error) {
	cpu, err := cpuTime(pid)
	return &watched{name: name, pid: pid, began: time.Now(), cpu: cpu}, err
}

// spent is what a process used since it is watched, and its largest memory.
type spent struct {
	share float64 // of one core
	peak  float64 // bytes
}

func (w *watched) spent() (spent, error) {
	cpu, err := cpuTime(w.pid)
	if err != nil {
		return spent{}, fmt.Errorf("%s: %w", w.name, err)
	}
	peak, err := peakMemory(w.pid)
	return spent{(cpu - w.cpu).Seconds() / time.Since(w.began).Seconds(), peak}, err
}

// cpuTime is the CPU time of a process, all threads, in the scheduler's
// nanoseconds: clock_getcpuclockid(3) is this arithmetic.
func cpuTime(pid int) (time.Duration, error) {
	const cpuClockSched = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|cpuClockSched), &t); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// peakMemory is VmHWM: that of getrusage(2) is inherited from the parent.
func peakMemory(pid int) (float64, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), " kB"), 64)
			return kibibytes * 1024, err
		}
	}
	return 0, errors.New("status has no VmHWM")
}
