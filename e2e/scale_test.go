//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// TestScenariosScale: what grows, what breaks and what takes special paths, one
// after the other in the same lab: nothing that one of them made is in the way
// of the next. Without a plugin some of them take another way.
func TestScenariosScale(t *testing.T) {
	leavesNothing(t)
	for _, tt := range []struct {
		variant, scenarios string
		trials             int
	}{
		{"flannel-vxlan", `
    - {name: service-scaling, services: [1, 50], repeats: 1, duration: 1s, omit: 0s}
    - {name: connection-churn, rate: 500, duration: 6s, omit: 1s, gaps: fixed}
    - {name: connection-churn, rate: 200, duration: 3s, omit: 0s, path: node-port}
    - {name: pod-density, pods: [4, 200], duration: 1s, omit: 0s}
    - {name: pod-startup, pods: 2, nodes: [1, 2], rounds: 1}
    - {name: control-plane-tunnel, duration: 1s, omit: 0s, tunnel: [direct, openvpn, konnectivity]}
    - {name: https, rate: 100, duration: 1s, path: cluster-ip}
    - {name: grpc, rate: 100, duration: 1s}
    - {name: disruption, before: 1s, duration: 10s, event: agent-restart}`, 17},
		{"{variant: host, kubeProxy: nftables}", `
    - {name: service-scaling, services: 50, repeats: 1, duration: 1s, omit: 0s}
    - {name: pod-density, pods: 4, duration: 1s, omit: 0s}
    - {name: pod-startup, pods: 2, nodes: 2, rounds: 1}
    - {name: disruption, before: 1s, duration: 10s, event: [kubelet-restart, agent-restart]}`, 5},
	} {
		dir := filepath.Join(t.TempDir(), "results")
		run(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [`+tt.variant+`]
  scenarios:`+tt.scenarios+`
  blocks: 1
  freshCluster: false
`))
		trials := journal(t, dir)
		if len(trials) != tt.trials {
			t.Errorf("%s: %d trials", tt.variant, len(trials))
		}
		for _, trial := range trials {
			t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) { checkScaleTrial(t, dir, trial) })
		}
	}
}

func checkScaleTrial(t *testing.T, dir string, trial result.Trial) {
	if reason := beyond(trial); reason != "" {
		if trial.Status != result.Unsupported || !strings.Contains(trial.Reason, reason) {
			t.Errorf("%s: %s", trial.Status, trial.Reason)
		}
		return
	}
	if trial.Status != result.OK {
		t.Fatalf("%s: %s", trial.Status, trial.Reason)
	}
	checkScale(t, dir, trial)
}

// beyond is a part of the reason why a cell is unsupported; empty where it is
// not.
func beyond(trial result.Trial) string {
	switch {
	case strings.Contains(trial.Cell, "pods=200"):
		return "maxPods=110"
	case trial.Variant == "host" && strings.Contains(trial.Cell, "agent-restart"):
		return "has no agent"
	}
	return ""
}

func checkScale(t *testing.T, dir string, trial result.Trial) {
	switch trial.Scenario {
	case "service-scaling":
		checkServiceScaling(t, trial)
	case "connection-churn":
		checkChurn(t, dir, trial)
	case "pod-density":
		checkDensity(t, dir, trial)
	case "pod-startup":
		checkStartup(t, dir, trial)
	case "control-plane-tunnel":
		checkTunnel(t, dir, trial)
	case "https", "grpc":
		checkCalls(t, trial)
	case "disruption":
		checkDisruption(t, trial)
	default:
		t.Errorf("nobody looks at %s", trial.Scenario)
	}
}
