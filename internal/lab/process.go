package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process names a process for good: pids are used again, a pid with its start
// time on a given boot of the machine is not.
type Process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks since boot
	Boot  string `json:"boot"`
}

// Self is the calling process.
func Self() (Process, error) { return processOf(os.Getpid()) }

func processOf(pid int) (Process, error) {
	start, _, err := readStat(pid)
	if err != nil {
		return Process{}, fmt.Errorf("identifying process %d: %w", pid, err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Process{}, fmt.Errorf("identifying process %d: %w", pid, err)
	}
	return Process{pid, start, strings.TrimSpace(string(boot))}, nil
}

// Alive tells whether this very process still runs.
func (p Process) Alive() bool {
	now, err := processOf(p.PID)
	if err != nil || now != p {
		return false
	}
	_, state, err := readStat(p.PID)
	return err == nil && state != "Z"
}

// readStat returns start time and state of /proc/PID/stat, see proc(5): the
// fields after the program's name, which may itself hold blanks.
func readStat(pid int) (start uint64, state string, err error) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, "", err
	}
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')'):]), ") ")
	fields := strings.Fields(rest)
	const startField = 22 - 3 // fields are numbered from 1, and the first two are cut off
	if !ok || len(fields) <= startField {
		return 0, "", errors.New("unexpected format of /proc/PID/stat")
	}
	start, err = strconv.ParseUint(fields[startField], 10, 64)
	return start, fields[0], err
}

// childWithArgs finds the child of parent whose command line ends in the
// given arguments.
func childWithArgs(parent int, args ...string) (int, error) {
	want := strings.Join(args, "\x00") + "\x00"
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(string(line), want) {
			continue
		}
		if parentOf(pid) == parent {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("process %d has no child %q", parent, args)
}

func parentOf(pid int) int {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, "PPid:"); ok {
			parent, _ := strconv.Atoi(strings.TrimSpace(value))
			return parent
		}
	}
	return 0
}
