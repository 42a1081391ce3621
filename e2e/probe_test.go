//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// sampler is the command line of a probe that samples a node.
const sampler = "cnibench-probe sample"

// While a load runs, the probe that samples is killed. The trial keeps what
// the load measured, and says what it lacks and why; where nothing but the
// samples is measured, the trial failed. Before that the probe shows that it
// listens on nothing.
func TestProbeKilled(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios:
    - {name: tcp-pod-single, duration: 8s, omit: 0s}
    - {name: idle, duration: 8s, omit: 0s}
  blocks: 1
`))
	struck := map[string]bool{}
	for len(struck) < 2 {
		begun := awaitSampled(t, c, dir, struck)
		struck[begun] = true
		middle := sampler
		if filepath.Base(begun) == "tcp-pod-single" {
			middle = "^iperf3 -c .* -t 8 "
		}
		if !awaitMiddle(t, c, dir, begun, middle) {
			t.Fatalf("%s ended before it was struck:\n%s", begun, c.wait().stderr)
		}
		checkNoSockets(t)
		mustRun(t, "lab", "exec", onlyLab(t), "node1", "--", "pkill", "-KILL", "-f", sampler)
	}
	o := c.wait()
	trials := journal(t, dir)
	if len(trials) != 2 {
		t.Fatalf("%d trials\n%s", len(trials), o.stderr)
	}
	for _, trial := range trials {
		t.Logf("%s: %s: %s", trial.Cell, trial.Status, trial.Reason)
		if trial.Scenario == "idle" {
			if trial.Status != result.Failed || !strings.Contains(trial.Reason, "node1") {
				t.Errorf("idle without samples is %s: %s", trial.Status, trial.Reason)
			}
			continue
		}
		checkKeptItsLoad(t, dir, trial)
	}
	text := mustRun(t, "report", dir, "--format", "text").stdout
	if !strings.Contains(text, "cpu-per-gbit") || !strings.Contains(text, "node1") {
		t.Errorf("the report does not say what is missing:\n%s", text)
	}
}

// awaitSampled waits for a trial that was not struck.
func awaitSampled(t testing.TB, c *command, dir string, struck map[string]bool) (begun string) {
	t.Helper()
	eventually(t, "the next trial", func() bool {
		if !c.running() {
			t.Fatalf("the run ended before:\n%s", c.wait().stderr)
		}
		paths, _ := filepath.Glob(filepath.Join(dir, "raw", "[0-9]*", "*", "*", "1"))
		for _, path := range paths {
			begun, _ = filepath.Rel(filepath.Join(dir, "raw"), filepath.Dir(path))
			if !struck[begun] {
				return true
			}
		}
		return false
	})
	return begun
}

func checkKeptItsLoad(t *testing.T, dir string, trial result.Trial) {
	t.Helper()
	if v, ok := trial.Value("throughput"); trial.Status != result.OK || !ok || v.Value <= 0 {
		t.Errorf("the load's figure is lost: %s, %v", trial.Status, trial.Reason)
	}
	for _, name := range []string{"cpu", "cpu-per-gbit", "memory", "cni-cpu"} {
		if v, has := trial.Value(name); has {
			t.Errorf("%s is %v although the probe died", name, v.Value)
		}
		if reason := trial.Missing[name]; !strings.Contains(reason, "node1") {
			t.Errorf("%s is missing because %q, which does not name the node", name, reason)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, trial.Raw, "probe-*")); len(files) > 0 {
		t.Errorf("a dead probe left %v", files)
	}
}

// checkNoSockets looks at the open files of the probes that sample. They talk
// to whoever started them through pipes alone, so that nothing but the
// cluster's own authentication leads to them.
func checkNoSockets(t testing.TB) {
	t.Helper()
	out, err := exec.Command("pgrep", "-f", sampler).Output()
	if err != nil {
		t.Fatalf("no probe samples: %v", err)
	}
	looked := 0
	for _, pid := range strings.Fields(string(out)) {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%s/fd/*", pid))
		if err != nil {
			t.Fatal(err)
		}
		var open []string
		for _, file := range files {
			if target, err := os.Readlink(file); err == nil {
				open = append(open, target)
			}
		}
		if slices.ContainsFunc(open, func(f string) bool { return strings.HasSuffix(f, "/proc/stat") || f == "/proc/stat" }) {
			looked++
		}
		if i := slices.IndexFunc(open, func(f string) bool { return strings.HasPrefix(f, "socket:") }); i >= 0 {
			t.Errorf("process %s of the probe has a socket: %v", pid, open)
		}
	}
	if looked == 0 {
		t.Error("none of the processes looked at samples")
	}
}
