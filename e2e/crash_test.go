//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// awaitLoad waits until some trial of a block has come as far as its load, and
// returns the directory of its evidence.
func awaitLoad(t testing.TB, c *command, dir string, block int) string {
	t.Helper()
	var found []string
	eventually(t, "the load of block "+strconv.Itoa(block), func() bool {
		if !c.running() {
			t.Fatalf("the run ended before:\n%s", c.wait().stderr)
		}
		found, _ = filepath.Glob(filepath.Join(dir, "raw", strconv.Itoa(block), "*", "*", "*", "commands.json"))
		return len(found) > 0
	})
	return filepath.Dir(found[0])
}

// A lab whose supervisor was killed takes everything with it, and the next
// command removes its files and control groups.
func TestKilledSupervisorLeavesNothing(t *testing.T) {
	leavesNothing(t)
	downAtEnd(t, "e2e-killed")
	mustRun(t, "lab", "up", "e2e-killed", "--nodes", "1", "--variant", "none")
	pid := readLabRecord(t, "e2e-killed").Supervisor.PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// It ends after everything in its PID namespace has.
	eventually(t, "the supervisor to end", func() bool {
		b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || strings.Contains(string(b), ") Z ")
	})
	o := mustRun(t, "lab", "list")
	if !strings.Contains(o.stderr, "e2e-killed") || strings.Contains(o.stdout, "e2e-killed") {
		t.Errorf("lab list prints\n%sand says\n%s", o.stdout, o.stderr)
	}
}

// A run that was killed in the middle of a trial goes on where it was: what it
// had measured stays as it is, to the byte.
func TestKilledRunResumes(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host, flannel-vxlan]
  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 1s}]
  blocks: 3
  freshCluster: false
`))
	awaitLoad(t, c, dir, 2)
	c.signal(syscall.SIGKILL)
	c.wait()
	journalFile, planFile := filepath.Join(dir, result.JournalFile), filepath.Join(dir, result.PlanFile)
	finished, plan := readFile(t, journalFile), readFile(t, planFile)
	if n := strings.Count(finished, "\n"); n < 2 || n > 3 {
		t.Fatalf("the journal has %d lines, want those of block 1 and perhaps one more", n)
	}
	before := environment(t, dir)
	o := mustRun(t, "run", "--resume", dir)
	wantSameFacts(t, before, environment(t, dir))
	if !strings.HasPrefix(readFile(t, journalFile), finished) {
		t.Errorf("the journal of the killed run was\n%snow it is\n%s", finished, readFile(t, journalFile))
	}
	if readFile(t, planFile) != plan {
		t.Error("the plan has changed")
	}
	wantOK(t, dir, journal(t, dir))
	if info, err := os.Stat(filepath.Join(dir, "report.html")); err != nil || info.Size() == 0 {
		t.Errorf("the report: %v, %v", info, err)
	}
	if !strings.Contains(o.stdout, "6 of 6 trials ok") {
		t.Errorf("the report says\n%s", o.stdout)
	}
	// There is nothing left to do, and doing that changes nothing.
	complete := readFile(t, journalFile)
	mustRun(t, "run", "--resume", dir)
	if readFile(t, journalFile) != complete {
		t.Error("resuming a complete run has changed its journal")
	}
}

// An interrupted run says how to go on and cleans up after itself.
func TestInterrupt(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios: [{name: tcp-pod-single, duration: 30s, omit: 1s}]
  blocks: 2
  freshCluster: false
`))
	awaitLoad(t, c, dir, 1)
	c.signal(syscall.SIGINT)
	c.wait().refused(t, 130, "interrupted", "cnibench: hint: ", "cnibench run --resume "+dir)
	if trials := journal(t, dir); len(trials) > 0 {
		t.Errorf("the interrupted trial is in the journal: %+v", trials)
	}
}

// A kubelet that dies during a trial spoils that trial and no other.
func TestKubeletKilledDuringTrial(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host]
  scenarios: [{name: tcp-pod-single, duration: 5s, omit: 1s}]
  blocks: 4
  freshCluster: false
`))
	raw := awaitLoad(t, c, dir, 2)
	lab := ""
	for _, name := range names(t, "/var/lib/cnibench/labs") {
		if strings.HasSuffix(name, "-host") {
			lab = name
		}
	}
	mustRun(t, "lab", "exec", lab, "node2", "--", "sh", "-c", "kill -9 $(pgrep -x kubelet)")
	o := c.wait()
	o.refused(t, 1, "1 of 4 trials have no result")
	trials := journal(t, dir)
	if len(trials) != 4 {
		t.Fatalf("the journal has %d trials, want 4:\n%s", len(trials), o.stderr)
	}
	for _, trial := range trials {
		switch {
		case trial.Block != 2 && trial.Status != result.OK:
			t.Errorf("block %d is %s: %s", trial.Block, trial.Status, trial.Reason)
		case trial.Block == 2 && (trial.Status != result.Failed || !strings.Contains(trial.Reason, "node2/kubelet")):
			t.Errorf("block 2 is %s for this reason, which should name node2/kubelet: %s", trial.Status, trial.Reason)
		}
	}
	for _, log := range []string{"node2-kubelet.log", "node1-containerd.log", "control-plane-kube-apiserver.log"} {
		if info, err := os.Stat(filepath.Join(raw, log)); err != nil || info.Size() == 0 {
			t.Errorf("evidence %s: %v, %v", log, info, err)
		}
	}
	if !strings.Contains(o.stdout, "node2/kubelet") {
		t.Errorf("the report does not give the reason:\n%s", o.stdout)
	}
}
