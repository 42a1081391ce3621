package lab

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startSleeper starts a process that does nothing, from a file of the given
// name, which the kernel takes as the process's name.
func startSleeper(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no program to start: ", err)
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestProcessIsAliveUntilItEnds(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if !self.Alive() || self.PID != os.Getpid() {
		t.Errorf("the running test is %+v, alive: %t", self, self.Alive())
	}
	later, rebooted := self, self
	later.Start++
	rebooted.Boot = "another"
	for _, other := range []Process{later, rebooted, {}} {
		if other.Alive() {
			t.Errorf("%+v has the pid of a running process, and is not it, but counts as alive", other)
		}
	}
	cmd := startSleeper(t, "sleeper")
	p, err := processOf(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Alive() || p == self {
		t.Errorf("a running process is %+v, alive: %t", p, p.Alive())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.Alive() { // until it is a zombie; nobody has waited for it
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Wait()
	if p.Alive() {
		t.Error("a process that is gone counts as alive")
	}
	if _, err := processOf(p.PID); err == nil {
		t.Error("a process that is gone can be identified")
	}
}

// The name of a program is its owner's choice: it may look like the fields
// that follow it.
func TestReadStatOfStrangeNames(t *testing.T) {
	for _, name := range []string{"plain", "a b", "a) Z 1 (b", ") R 9 9", "(((", "a\nb"} {
		t.Run(strconv.Quote(name), func(t *testing.T) {
			cmd := startSleeper(t, name)
			var sysinfo unix.Sysinfo_t
			if err := unix.Sysinfo(&sysinfo); err != nil {
				t.Fatal(err)
			}
			start, state, err := readStat(cmd.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			if state != "S" && state != "R" && state != "D" {
				t.Errorf("a sleeping process is in the state %q", state)
			}
			self, _, err := readStat(os.Getpid())
			if err != nil {
				t.Fatal(err)
			}
			// Clock ticks of 1/100 s since boot: after us and not in the future.
			if start < self || start > uint64(sysinfo.Uptime+1)*100 {
				t.Errorf("it was started at %d, we at %d, and the machine is up for %d s", start, self, sysinfo.Uptime)
			}
		})
	}
}

func TestChildWithArgs(t *testing.T) {
	cmd := startSleeper(t, "sleeper")
	if pid, err := childWithArgs(os.Getpid(), "600"); err != nil || pid != cmd.Process.Pid {
		t.Errorf("found %d, %v; want %d", pid, err, cmd.Process.Pid)
	}
	if pid, err := childWithArgs(os.Getpid(), "60"); err == nil {
		t.Errorf("part of an argument finds %d", pid)
	}
	if pid, err := childWithArgs(1, "600"); err == nil {
		t.Errorf("a child of ours is found as one of pid 1: %d", pid)
	}
}
