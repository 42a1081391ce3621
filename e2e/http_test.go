//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// TestScenariosHTTP: a latency that is known to be there is measured, a server that
// rests included, through names that the lab's own DNS resolves, for pods with
// a network of their own and without. A target that is the lab's API server is
// measured, one that nobody listens on has failed, and nothing serves an Ingress.
func TestScenariosHTTP(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	o := run(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [host, flannel-vxlan]
  targets:
    - {name: api, url: "https://198.18.0.1:6443/version", host: kubernetes, insecure: true}
    - {name: nobody, url: "http://198.18.0.1:9/"}
  scenarios:
    - {name: http, rate: 200, users: 100, duration: 4s, omit: 1s, path: service-name, server-delay: [0s, 40ms], threshold: 30ms}
    - {name: http, rate: 200, users: 100, duration: 5s, omit: 1s, services: 5, server-pause: 200ms}
    - {name: http, rate: 50, users: 10, duration: 1s, omit: 0s, target: [api, nobody]}
    - {name: http, rate: 50, users: 10, duration: 1s, omit: 0s, path: ingress}
  blocks: 1
  freshCluster: false
`))
	if o.status != 1 {
		t.Errorf("exit status %d, want 1 for trials that failed\n%s", o.status, o.stderr)
	}
	trials := journal(t, dir)
	if len(trials) != 12 {
		t.Errorf("%d trials, want 12\n%s", len(trials), o.stderr)
	}
	for _, trial := range trials {
		t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) {
			switch {
			case strings.Contains(trial.Cell, "target=nobody"):
				wantReason(t, trial, result.Failed, "connection refused")
			case strings.Contains(trial.Cell, "path=ingress"):
				wantReason(t, trial, result.Unsupported, stage.NoIngressClass)
			case trial.Status != result.OK:
				t.Errorf("%s: %s", trial.Status, trial.Reason)
			case strings.Contains(trial.Cell, "target=api"):
				checkTarget(t, trial)
			default:
				checkHTTP(t, trial)
			}
		})
	}
	if v := environment(t, dir).Variants["flannel-vxlan"]; !strings.Contains(v.Facts["reached across nodes"], "DNS") || v.Versions["coredns"] == "" || v.Versions["k6"] == "" {
		t.Errorf("facts %v, versions %v", v.Facts, v.Versions)
	}
}

func wantReason(t *testing.T, trial result.Trial, status result.Status, reason string) {
	t.Helper()
	if trial.Status != status || !strings.Contains(trial.Reason, reason) {
		t.Errorf("%s: %s; want %s: %s", trial.Status, trial.Reason, status, reason)
	}
}

// checkTarget holds what is said of the API server against what it is.
func checkTarget(t *testing.T, trial result.Trial) {
	for fact, want := range map[string]string{
		"target": "api", "url": "https://198.18.0.1:6443/version", "host": "kubernetes", "certificate": "not checked", "remote address": "198.18.0.1:6443",
	} {
		if trial.Facts[fact] != want {
			t.Errorf("fact %s is %q, want %q", fact, trial.Facts[fact], want)
		}
	}
	if !strings.HasPrefix(trial.Facts["statuses"], "200 ×") || !strings.HasPrefix(trial.Facts["protocol"], "HTTP/2.0 ×") {
		t.Errorf("it answered %s by %s", trial.Facts["statuses"], trial.Facts["protocol"])
	}
	if trial.Facts["server"] != "" || trial.Facts["requests answered"] != "" {
		t.Errorf("it has facts of a server of ours: %v", trial.Facts)
	}
	if v, ok := trial.Value("latency-p50"); !ok || v.Value <= 0 {
		t.Errorf("latency-p50 is %v", v.Value)
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
