//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

func checkTunnel(t *testing.T, dir string, trial result.Trial) {
	for _, metric := range []string{"throughput", "latency-p50", "latency-p99", "cpu", "cpu-per-gbit", "rate"} {
		if v, ok := trial.Value(metric); !ok || v.Value <= 0 {
			t.Errorf("%s is %v", metric, v.Value)
		}
	}
	if trial.Values[0].Name != "throughput" {
		t.Errorf("%s comes first", trial.Values[0].Name)
	}
	peer := trial.Facts["client as the server sees it"]
	_, hasRTT := trial.Value("rtt")
	evidence := []string{"latency.hlog", "ping-pong/client.json"}
	switch {
	case strings.Contains(trial.Cell, "openvpn"):
		if peer != "198.19.255.1" || !hasRTT || !strings.Contains(trial.Facts["tunnel"], "udp, AES-256-GCM") {
			t.Errorf("the client came from %s by %s", peer, trial.Facts["tunnel"])
		}
		evidence = append(evidence, "openvpn-server.conf", "openvpn-client.log")
	case strings.Contains(trial.Cell, "konnectivity"):
		if !strings.Contains(trial.Facts["server"], "pod "+peer+" ") || hasRTT || trial.Missing["rtt"] == "" {
			t.Errorf("the client came from %s to %s; round trips: %t, %q", peer, trial.Facts["server"], hasRTT, trial.Missing["rtt"])
		}
		evidence = append(evidence, "konnectivity-server.log", "konnectivity-agent.json")
	default:
		if !strings.Contains(trial.Facts["client"], "pod "+peer+" ") || trial.Facts["tunnel"] != "none" {
			t.Errorf("the client came from %s by %s", peer, trial.Facts["tunnel"])
		}
	}
	for _, name := range evidence {
		content, err := os.ReadFile(filepath.Join(dir, trial.Raw, name))
		if err != nil || len(content) == 0 || strings.Contains(string(content), "PRIVATE KEY") {
			t.Errorf("evidence %s: %v, %d bytes", name, err, len(content))
		}
	}
}
