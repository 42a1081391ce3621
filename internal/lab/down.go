package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cnibench/cnibench/internal/lab/cgroup"
)

// Down ends a lab and removes everything that it left: processes, control
// groups, files, and with the last lab the machine's changed settings.
func Down(name string) error {
	unlock, err := lockState()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Stat(labDir(name)); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("lab %s: %w", name, ErrNotFound)
	}
	return remove(name)
}

// remove does the work of Down under the lock. It needs no record, so that it
// also clears what a crash left half made.
func remove(name string) error {
	groups, err := cgroup.Detect()
	if err != nil {
		return err
	}
	group, dir := cgroupOf(name), labDir(name)
	if groups.Exists(group) {
		// A frozen process does not even die.
		if err := groups.Freeze(group, false); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if pid, err := supervisorOf(filepath.Join(dir, "spec.json")); err == nil {
		if err := killSupervisor(pid); err != nil {
			return err
		}
	}
	if err := groups.Remove(group); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the files of lab %s: %w", name, err)
	}
	// Labs of another state directory may be below it.
	if err := groups.RemoveIfEmpty(cgroupRoot); err != nil {
		return err
	}
	return releaseMachine()
}

var errNoSupervisor = errors.New("no supervisor runs")

// supervisorOf finds the supervisor by its command line, which names the
// specification: it is found even if a crash kept its pid from being noted.
func supervisorOf(specFile string) (int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	suffix := "\x00lab\x00" + specFile + "\x00"
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err == nil && strings.HasSuffix(string(line), suffix) {
			return pid, nil
		}
	}
	return 0, errNoSupervisor
}

// killTimeout bounds the end of a supervisor, which takes its whole PID
// namespace with it.
const killTimeout = 20 * time.Second

func killSupervisor(pid int) error {
	if err := unix.Kill(pid, unix.SIGKILL); err != nil && err != unix.ESRCH {
		return fmt.Errorf("ending the lab's supervisor: %w", err)
	}
	for deadline := time.Now().Add(killTimeout); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		_, state, err := readStat(pid)
		if err != nil || state == "Z" {
			return nil
		}
	}
	return fmt.Errorf("the lab's supervisor (pid %d) did not end within %s", pid, killTimeout)
}

// Recover removes what labs left whose processes, or whose owners, are gone,
// and returns their names. Every command calls it first.
func Recover() ([]string, error) {
	names, err := recordedNames()
	if err != nil {
		return nil, err
	}
	unlock, err := lockState()
	if err != nil {
		return nil, err
	}
	defer unlock()
	// Whoever fills the image store holds the lock, so this one is nobody's.
	if _, err := os.Stat(labDir(storeName)); err == nil {
		if err := discardStore(labDir(storeName), cgroupOf(storeName)); err != nil {
			return nil, err
		}
	}
	var removed []string
	for _, name := range names {
		r, err := readRecord(name)
		if err == nil && !abandoned(r) {
			continue
		}
		if err := remove(name); err != nil {
			return removed, err
		}
		removed = append(removed, name)
	}
	return removed, releaseMachine()
}

// abandoned tells whether nobody can use the lab any more. A lab without a
// supervisor is still being made as long as its maker lives.
func abandoned(r record) bool {
	if r.Config.Owner != nil && !r.Config.Owner.Alive() {
		return true
	}
	if r.Supervisor == nil {
		return !r.Maker.Alive()
	}
	return !r.Supervisor.Alive()
}
