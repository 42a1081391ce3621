//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Requests at fixed times: a delay that is known to be there is found again,
// and so is a server that rests, in as many requests as fall into its pauses.
func TestScenariosLatency(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: tcp-rr, rate: 500, duration: 3s, server-delay: 20ms}
    - {name: tcp-rr, rate: 500, duration: 3s, server-pause: 200ms, path: node-port}
    - {name: udp-rr, rate: 500, duration: 3s, server-delay: 20ms, path: service-name, client: host}
    - {name: udp-rr, rate: 500, duration: 3s, server-pause: 200ms}
    - {name: tcp-crr, rate: [0, 100], duration: 3s, server-delay: 20ms, path: cluster-ip}
    - {name: dns, rate: 300, duration: 3s}
    - {name: latency-under-load, rate: 300, duration: 3s, capacity-time: 2s, load: ["0", "0.5", 100Mbit]}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) {
			checkLatency(t, trial)
			for _, name := range []string{"latency.hlog", "client.json", "client-spec.json"} {
				if info, err := os.Stat(filepath.Join(dir, trial.Raw, name)); err != nil || info.Size() == 0 {
					t.Errorf("evidence: %v", err)
				}
			}
		})
	}
}

func checkLatency(t *testing.T, trial result.Trial) {
	// Seconds. How slow a busy machine is, is its own business.
	least := map[string]float64{"latency-p50": 1e-6, "latency-p99": 1e-6, "service-p50": 1e-6, "latency-mean": 1e-6, "rate": 1, "cpu": 1e-3}
	switch {
	case strings.Contains(trial.Cell, "server-delay=20ms"), trial.Scenario == "tcp-crr":
		least["latency-p50"], least["service-p50"] = 0.02, 0.02
		if v, _ := trial.Value("latency-p50"); v.Value > 0.1 { // room for a busy machine
			t.Errorf("the median of answers held back for 20 ms is %v s", v.Value)
		}
	case strings.Contains(trial.Cell, "server-pause=200ms"):
		// A fifth of the requests waits up to 200 ms, evenly.
		least["latency-p95"], least["latency-p99"] = 0.13, 0.17
	}
	switch {
	case trial.Cell == "tcp-crr.rate=0":
		least["connect-rate"] = 1
		if trial.Facts["loop"] != "closed" {
			t.Errorf("facts: %v", trial.Facts)
		}
	case trial.Facts["loop"] != "open":
		t.Errorf("facts: %v", trial.Facts)
	}
	switch trial.Cell {
	case "latency-under-load.load=0.5":
		least["load-throughput"], least["capacity"] = 1e6, 1e6
	case "latency-under-load.load=100Mbit":
		least["load-throughput"] = 1e6
	case "dns.question=cached":
		if trial.Facts["answers NOERROR"] == "" {
			t.Errorf("facts: %v", trial.Facts)
		}
	case "dns.question=uncached":
		if trial.Facts["answers NXDOMAIN"] == "" {
			t.Errorf("facts: %v", trial.Facts)
		}
	}
	for metric, want := range least {
		if v, ok := trial.Value(metric); !ok || v.Value < want {
			t.Errorf("%s is %v, want at least %v", metric, v.Value, want)
		}
	}
	if v, ok := trial.Value("unanswered"); !ok || v.Value > 50 {
		t.Errorf("%v %% of the requests have no answer", v.Value)
	}
}
