//go:build vm

package vm

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestControlGroups runs the tests of package cgroup on version 2.
func TestControlGroups(t *testing.T) {
	program := filepath.Join(guest.job, "cgroup.test")
	build := exec.Command("go", "test", "-c", "-o", program, "github.com/cnibench/cnibench/internal/lab/cgroup")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	must(t, "/job/cgroup.test -test.v").says(t, "--- PASS: TestGroupHoldsFreezesAndRemovesProcesses")
}
