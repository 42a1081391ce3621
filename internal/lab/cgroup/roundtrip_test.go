package cgroup

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// joinVariable makes the test program join a group and burn CPU in it.
const joinVariable = "CGROUP_TEST_JOIN"

func TestMain(m *testing.M) {
	if group := os.Getenv(joinVariable); group != "" {
		burn(group)
	}
	os.Exit(m.Run())
}

// burn reports that it has joined and works until its stdin is closed.
func burn(group string) {
	h, err := Detect()
	if err == nil {
		err = h.Join(group)
	}
	fmt.Println(err)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for sum := sha256.Sum256(nil); ; {
		sum = sha256.Sum256(sum[:])
	}
}

// testGroup makes a group of the test's own, or skips the test.
func testGroup(t *testing.T) (Hierarchy, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making control groups needs root")
	}
	h, err := Detect()
	if err != nil {
		t.Skip("no control groups here: ", err)
	}
	if missing := h.MissingControllers(); len(missing) > 0 {
		t.Skip("this machine lacks the controllers ", missing)
	}
	group := fmt.Sprintf("/test-of-cnibench-%d", os.Getpid())
	t.Cleanup(func() {
		if err := h.Remove(group); err != nil {
			t.Error(err)
		}
	})
	return h, group
}

func TestGroupHoldsFreezesAndRemovesProcesses(t *testing.T) {
	h, group := testGroup(t)
	leaf := group + "/node/service"
	for range 2 { // making what exists is no error
		if err := h.Create(leaf); err != nil {
			t.Fatal(err)
		}
	}
	pid := startIn(t, leaf)
	for _, dir := range h.mounts {
		if procs := readGroup(t, filepath.Join(dir, leaf, "cgroup.procs")); strings.TrimSpace(procs) != fmt.Sprint(pid) {
			t.Errorf("in %s the group holds the processes %q, want %d", dir, procs, pid)
		}
	}
	if used, err := h.MemoryBytes(leaf); err != nil || used == 0 {
		t.Errorf("the group uses %d bytes, %v", used, err)
	}
	if err := h.Freeze(group, true); err != nil {
		t.Fatal(err)
	}
	if frozen, err := h.Frozen(group); err != nil || !frozen {
		t.Errorf("frozen: %t, %v", frozen, err)
	}
	before := cpuTime(t, pid)
	time.Sleep(50 * time.Millisecond)
	if after := cpuTime(t, pid); after != before {
		t.Errorf("a frozen process went on: it had used %s ns, now %s", before, after)
	}
	if err := h.Freeze(group, false); err != nil {
		t.Fatal(err)
	}
	for cpuTime(t, pid) == before {
		time.Sleep(time.Millisecond)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	// The dying process is waited for.
	if err := h.Remove(group); err != nil {
		t.Fatal(err)
	}
	if h.Exists(leaf) || h.Exists(group) {
		t.Error("the group is still there")
	}
	if err := h.Remove(group); err != nil {
		t.Error("removing what is gone: ", err)
	}
}

func TestRemoveIfEmptySparesGroupsOfOthers(t *testing.T) {
	h, group := testGroup(t)
	if err := h.Create(group + "/other"); err != nil {
		t.Fatal(err)
	}
	if err := h.RemoveIfEmpty(group); err != nil {
		t.Error(err)
	}
	if !h.Exists(group + "/other") {
		t.Error("a group that is not empty was removed")
	}
	if err := h.Remove(group + "/other"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is gone
		if err := h.RemoveIfEmpty(group); err != nil {
			t.Error(err)
		}
	}
	if h.Exists(group) {
		t.Error("the empty group is still there")
	}
}

func TestGroupThatIsNotThere(t *testing.T) {
	h, group := testGroup(t)
	if h.Exists(group) {
		t.Error("it exists")
	}
	if err := h.Join(group); err == nil {
		t.Error("joining it works")
	}
	if err := h.Freeze(group, true); err == nil {
		t.Error("freezing it works")
	}
	if _, err := h.MemoryBytes(group); err == nil {
		t.Error("it uses memory")
	}
}

// startIn starts a process in a group and returns when it runs there.
func startIn(t *testing.T, group string) int {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	cmd.Env = append(os.Environ(), joinVariable+"="+group)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	return cmd.Process.Pid
}

// cpuTime is what a process has used, see "schedstat" in the kernel's
// Documentation/scheduler/sched-stats.rst; summed over its threads.
func cpuTime(t *testing.T, pid int) string {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("the process has no threads: %v", err)
	}
	var all []string
	for _, f := range files {
		all = append(all, strings.Fields(readGroup(t, f))[0])
	}
	return strings.Join(all, " ")
}

func readGroup(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestLeafLetsItsParentHoldAProcess: a process that is in a group can leave it
// for a leaf below, after which the group may have other children.
func TestLeafLetsItsParentHoldAProcess(t *testing.T) {
	h, group := testGroup(t)
	if err := h.Create(group + "/node"); err != nil {
		t.Fatal(err)
	}
	startIn(t, group+"/node")
	if err := h.CreateLeaf(group + "/node/init"); err != nil {
		t.Fatal(err)
	}
	pid := startIn(t, group+"/node/init")
	for _, dir := range h.mounts {
		if procs := readGroup(t, filepath.Join(dir, group, "node/init/cgroup.procs")); strings.TrimSpace(procs) != fmt.Sprint(pid) {
			t.Errorf("in %s the leaf holds the processes %q, want %d", dir, procs, pid)
		}
	}
}
