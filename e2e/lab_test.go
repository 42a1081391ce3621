//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// labDir is where a lab keeps its files.
func labDir(name string) string { return filepath.Join("/var/lib/cnibench/labs", name) }

// downAtEnd ends labs that the test did not end itself.
func downAtEnd(t testing.TB, names ...string) {
	t.Cleanup(func() {
		for _, name := range names {
			if _, err := os.Stat(labDir(name)); err == nil {
				mustRun(t, "lab", "down", name)
			}
		}
	})
}

// labRecord is what the tests must know about a lab that no command tells.
type labRecord struct {
	Supervisor struct{ PID int }
	Kubernetes string
}

func readLabRecord(t testing.TB, name string) labRecord {
	t.Helper()
	var r labRecord
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(labDir(name), "lab.json"))), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// kubectl runs the lab's own kubectl with nothing but a kubeconfig.
func kubectl(t testing.TB, name, kubeconfig string, args ...string) string {
	t.Helper()
	cmd := exec.Command(readLabRecord(t, name).Kubernetes, args...)
	cmd.Args[0] = "kubectl"
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// readyNodes counts the nodes that Kubernetes can use.
func readyNodes(t testing.TB, name, kubeconfig string) int {
	t.Helper()
	out := kubectl(t, name, kubeconfig, "get", "nodes", "--no-headers")
	ready := 0
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "Ready" {
			ready++
		}
	}
	return ready
}

// cpuSeconds is what a lab has used since it was started.
func cpuSeconds(t testing.TB, name string) float64 {
	t.Helper()
	if b, err := os.ReadFile("/sys/fs/cgroup/cpuacct/cnibench/" + name + "/cpuacct.usage"); err == nil {
		return number(t, strings.TrimSpace(string(b))) / 1e9
	}
	for line := range strings.Lines(readFile(t, "/sys/fs/cgroup/cnibench/"+name+"/cpu.stat")) {
		if value, ok := strings.CutPrefix(line, "usage_usec "); ok {
			return number(t, strings.TrimSpace(value)) / 1e6
		}
	}
	t.Fatalf("the control group of lab %s does not count its CPU", name)
	return 0
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// listed returns the columns that `lab list` shows of a lab, or nothing.
func listed(t testing.TB, name string) []string {
	t.Helper()
	for line := range strings.Lines(mustRun(t, "lab", "list").stdout) {
		if f := strings.Fields(line); len(f) > 0 && f[0] == name {
			return f
		}
	}
	return nil
}
