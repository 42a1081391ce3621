//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// TestScenariosHTTP: a latency that is known to be there is measured, a server that
// rests included, through names that the lab's own DNS resolves, for pods with
// a network of their own and without.
func TestScenariosHTTP(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host, flannel-vxlan]
  scenarios:
    - {name: http, rate: 200, users: 100, duration: 4s, omit: 1s, path: service-name, server-delay: [0s, 40ms], threshold: 30ms}
    - {name: http, rate: 200, users: 100, duration: 5s, omit: 1s, services: 5, server-pause: 200ms}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) { checkHTTP(t, trial) })
	}
	if v := environment(t, dir).Variants["flannel-vxlan"]; !strings.Contains(v.Facts["reached across nodes"], "DNS") || v.Versions["coredns"] == "" || v.Versions["k6"] == "" {
		t.Errorf("facts %v, versions %v", v.Facts, v.Versions)
	}
}

func checkHTTP(t *testing.T, trial result.Trial) {
	if trial.Facts["k6"] == "" || trial.Facts["connections"] == "" {
		t.Errorf("facts: %v", trial.Facts)
	}
	broken := strings.Contains(trial.Cell, "server-delay=40ms")
	for _, m := range trial.Marks {
		broken = broken && m.Name != "threshold-broken"
	}
	if broken {
		t.Errorf("40 ms broke no threshold of 30: %+v", trial.Marks)
	}
	// Seconds; the upper bounds leave room for a busy machine.
	type bounds struct{ least, most float64 }
	want := map[string]bounds{"latency-p50": {0, 0.03}}
	switch {
	case strings.Contains(trial.Cell, "server-delay=40ms"):
		want = map[string]bounds{"latency-p50": {0.04, 0.07}, "latency-p99": {0.04, 0.2}}
	case strings.Contains(trial.Cell, "server-pause=200ms"):
		// A fifth of the requests waits up to 200 ms, evenly: 5 % for 150 ms or
		// longer.
		want = map[string]bounds{"latency-p50": {0, 0.03}, "latency-p95": {0.13, 0.19}, "latency-p99": {0.17, 0.3}}
	}
	for metric, b := range want {
		if v, ok := trial.Value(metric); !ok || v.Value < b.least || v.Value > b.most {
			t.Errorf("%s is %v, want %v to %v", metric, v.Value, b.least, b.most)
		}
	}
	if v, ok := trial.Value("errors"); !ok || v.Value != 0 {
		t.Errorf("errors: %v %%", v.Value)
	}
}
