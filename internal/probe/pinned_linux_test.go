package probe

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCPUNumbers(t *testing.T) {
	for list, want := range map[string][]int{"0": {0}, "0,2,1": {0, 2, 1}, "8191": {8191}, "": nil, "0-1": nil, "-1": nil, "8192": nil, "0,": nil} {
		got, ok := cpuNumbers(list)
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("%q: %v, %t; want %v", list, got, ok, want)
		}
	}
}

const becomePinned = "PROBE_TEST_PINNED"

// The program that pinned becomes runs on the CPUs, and so do its children.
func TestPinned(t *testing.T) {
	if list := os.Getenv(becomePinned); list != "" {
		t.Fatal(pinnedCommand(t.Context(), []string{list, "sh", "-c", "grep Cpus_allowed_list /proc/self/status; :"}, nil, nil))
	}
	allowed := unix.NewCPUSet(maxCPUs)
	if err := unix.SchedGetaffinityDynamic(0, allowed); err != nil {
		t.Fatal(err)
	}
	last := maxCPUs - 1
	for !allowed.IsSet(last) {
		last--
	}
	run := func(cpu int) string {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPinned$", "-test.v")
		cmd.Env = append(os.Environ(), becomePinned+"="+itoa(cpu))
		out, _ := cmd.CombinedOutput() // its status is the program's or a failed test's
		return string(out)
	}
	if out := run(last); !strings.Contains(out, "Cpus_allowed_list:\t"+itoa(last)+"\n") {
		t.Errorf("pinned to CPU %d:\n%s", last, out)
	}
	if out := run(maxCPUs - 1); last != maxCPUs-1 && !strings.Contains(out, "restricting the load to CPUs [8191]") {
		t.Errorf("pinned to a CPU that is not there:\n%s", out)
	}
}
