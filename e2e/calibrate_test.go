//go:build e2e

package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cnibench/cnibench/internal/calibration"
	"github.com/cnibench/cnibench/internal/result"
)

// A calibration measures one variant under two names, can be interrupted and
// carried on with, and says what its journal holds.
func TestCalibrate(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	c := start(t, "calibrate", "--blocks", "3", "--variant", "flannel-vxlan", "--out", dir, "-f", writeCampaign(t, `
  variants: [host, flannel-vxlan]
  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 1s}]
  blocks: 10
  freshCluster: false
  analysis: {margins: {throughput: 7%}}
`))
	awaitLoad(t, c, dir, 2)
	c.signal(syscall.SIGINT)
	c.wait().refused(t, 130, "interrupted", "cnibench: hint: ", "cnibench calibrate --resume "+dir)
	before := readFile(t, filepath.Join(dir, result.JournalFile))

	o := run(t, "calibrate", "--resume", dir, "--effect", "20%")
	if !strings.HasPrefix(readFile(t, filepath.Join(dir, result.JournalFile)), before) {
		t.Error("carrying on has changed what was measured before")
	}
	ok := okByVariant(t, dir)
	lost := 6 - len(ok["flannel-vxlan"]) - len(ok["flannel-vxlan-twin"])
	if want := min(lost, 1); o.status != want {
		t.Errorf("exit status %d with %d trials lost, want %d:\n%s", o.status, lost, want, o.stderr)
	}
	said := strings.Join(strings.Fields(o.stdout), " ") // wherever lines are wrapped
	for _, want := range []string{"as flannel-vxlan and flannel-vxlan-twin, in 3 blocks", "within one installation", "tcp-pod-single: throughput", "margin 7 %", "too-few-blocks"} {
		if !strings.Contains(said, want) {
			t.Errorf("the calibration does not say %q:\n%s", want, o.stdout)
		}
	}
	checkCalibration(t, dir, ok)
}

// okByVariant lists the blocks with an ok trial, and fails the test for a trial
// that nobody attempted.
func okByVariant(t *testing.T, dir string) map[string]map[int]bool {
	t.Helper()
	ok := map[string]map[int]bool{}
	last := result.LastAttempts(journal(t, dir))
	if len(last) != 6 {
		t.Errorf("%d trials have an attempt, want 3 blocks of 2", len(last))
	}
	for _, trial := range last {
		if trial.Status != result.OK {
			t.Logf("block %d, %s is %s: %s", trial.Block, trial.Variant, trial.Status, trial.Reason)
			continue
		}
		if ok[trial.Variant] == nil {
			ok[trial.Variant] = map[int]bool{}
		}
		ok[trial.Variant][trial.Block] = true
	}
	return ok
}

// checkCalibration reads the results again, as programs do.
func checkCalibration(t *testing.T, dir string, ok map[string]map[int]bool) {
	t.Helper()
	o := mustRun(t, "calibrate", dir, "--format", "json", "--budget", "1h")
	var c calibration.Calibration
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for block := range ok["flannel-vxlan"] {
		if ok["flannel-vxlan-twin"][block] {
			pairs++
		}
	}
	if c.Blocks != 3 || c.Scope != calibration.OneInstallation || c.Schedule == nil || len(c.Metrics) == 0 {
		t.Fatalf("calibration: %s", o.stdout)
	}
	m := c.Metrics[0]
	if m.Name != "throughput" || !m.Primary || m.Pairs != pairs || m.Margin != 0.07 {
		t.Errorf("first metric %s: %d pairs, margin %g; the journal has %d pairs", m.Name, m.Pairs, m.Margin, pairs)
	}
	if pairs > 1 && (m.Noise == nil || m.Alarms == nil || m.Alarms.Rate != nil) {
		t.Errorf("noise %+v, alarms %+v of %d pairs", m.Noise, m.Alarms, pairs)
	}
	if len(c.Costs.Trials) == 1 && c.Costs.Trials[0].Seconds < c.Costs.Trials[0].Measured {
		t.Errorf("a trial is shorter than what it measures: %+v", c.Costs)
	}
}
