//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// foreignLoad keeps all CPUs busy outside of any cluster until the test ends.
// It leaves everybody else the time that they want.
func foreignLoad(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		hog := exec.Command("nice", "-n", "19", "sh", "-c", "while :; do :; done")
		hog.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = hog.Process.Kill() // it is ours and there is nothing to save
			_ = hog.Wait()
		})
	}
}

// A block during which others use the machine is dropped and measured again,
// whole and once, also when the run is killed in between. The rule is one that
// such a block certainly breaks, however starved the machine is.
func TestForeignLoadMakesABlockInvalid(t *testing.T) {
	leavesNothing(t)
	foreignLoad(t)
	dir := filepath.Join(t.TempDir(), "results")
	journalFile := filepath.Join(dir, result.JournalFile)
	c := start(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [{variant: host, as: a}, {variant: host, as: b}]
  scenarios: [{name: idle, duration: 1s}]
  blocks: 1
  freshCluster: false
  validity: {foreignCPU: 0.1%, steal: off, clockStep: off}
`))
	eventually(t, "an attempt that takes another back", func() bool {
		if !c.running() {
			t.Fatalf("the run ended before:\n%s", c.wait().stderr)
		}
		data, err := os.ReadFile(journalFile)
		return err == nil && strings.Contains(string(data), `"voids"`)
	})
	c.signal(syscall.SIGKILL)
	c.wait()
	before := readFile(t, journalFile)
	before = before[:strings.LastIndex(before, "\n")+1]

	o := run(t, "run", "--resume", dir)
	o.refused(t, 1, "2 of 2 trials have no result")
	if !strings.HasPrefix(readFile(t, journalFile), before) {
		t.Errorf("the journal of the killed run was\n%snow it is\n%s", before, readFile(t, journalFile))
	}
	wantRounds(t, journal(t, dir))
	for _, want := range []string{"programs outside the cluster used ", "the block is invalid again and is dropped"} {
		if !strings.Contains(o.stderr, want) {
			t.Errorf("the run does not say %q:\n%s", want, o.stderr)
		}
	}
	if said := strings.Join(strings.Fields(o.stdout), " "); !strings.Contains(said, "block 1 is dropped (programs outside the cluster used ") {
		t.Errorf("the report does not give the reason:\n%s", o.stdout)
	}
	complete := readFile(t, journalFile)
	run(t, "run", "--resume", dir).refused(t, 1, "2 of 2 trials have no result")
	if readFile(t, journalFile) != complete {
		t.Error("a block that was invalid twice is measured again")
	}
}

// wantRounds checks that both variants were measured, taken back, measured
// again and taken back again, in rounds.
func wantRounds(t *testing.T, trials []result.Trial) {
	t.Helper()
	type attempt struct {
		Number, Voids int
		Status        result.Status
	}
	want := []attempt{{1, 0, result.OK}, {2, 1, result.Invalid}, {3, 0, result.OK}, {4, 3, result.Invalid}}
	got := map[string][]attempt{}
	for i, trial := range trials {
		got[trial.Variant] = append(got[trial.Variant], attempt{trial.Attempt, trial.Voids, trial.Status})
		if round := i/2 + 1; trial.Attempt != round {
			t.Errorf("line %d of the journal is attempt %d at %s, want a whole block at a time", i+1, trial.Attempt, trial.Variant)
		}
		if trial.Voids > 0 && !strings.HasPrefix(trial.Reason, "block 1: programs outside the cluster used ") {
			t.Errorf("attempt %d at %s is invalid because %q", trial.Attempt, trial.Variant, trial.Reason)
		}
		for node, c := range trial.Conditions {
			if c.ForeignCPU == nil || *c.ForeignCPU <= 0.001 {
				t.Errorf("foreign CPU on %s: %v", node, c.ForeignCPU)
			}
		}
		if trial.Status == result.OK && len(trial.Conditions) != 1 {
			t.Errorf("conditions are %v, want those of the one machine", trial.Conditions)
		}
	}
	if diff := cmp.Diff(map[string][]attempt{"a": want, "b": want}, got); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
}
