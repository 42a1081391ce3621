//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// TestScenariosCalls: every protocol is spoken between pods with a network of
// their own and without, through a Service too, and calls are answered at the
// rate that was asked for.
func TestScenariosCalls(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host, flannel-vxlan]
  scenarios:
    - {name: https, rate: 100, duration: 1s, path: cluster-ip}
    - {name: grpc, rate: 100, duration: 1s}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) { checkCalls(t, trial) })
	}
}

func checkCalls(t *testing.T, trial result.Trial) {
	if rate, ok := trial.Value("rate"); !ok || rate.Value < 60 || rate.Value > 150 { // of exponential gaps
		t.Errorf("rate is %v", rate.Value)
	}
	if p50, ok := trial.Value("latency-p50"); !ok || p50.Value <= 0 {
		t.Errorf("median latency is %v", p50.Value)
	}
	if none, ok := trial.Value("unanswered"); !ok || none.Value != 0 {
		t.Errorf("unanswered: %v %%", none.Value)
	}
	encrypted := strings.HasPrefix(trial.Cell, "https")
	if want := map[bool]string{true: "TLS 1.3", false: "none"}[encrypted]; trial.Facts["encryption"] != want {
		t.Errorf("facts: %v", trial.Facts)
	}
	if _, told := trial.Facts["UDP segmentation offload"]; told != strings.Contains(trial.Cell, "h3") {
		t.Errorf("facts: %v", trial.Facts)
	}
}
