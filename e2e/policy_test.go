//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// A plugin that enforces no policies is not fast with many: it is unsupported,
// with the reason.
func TestScenariosPolicies(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	run(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: policy-scaling, policies: 10, duration: 1s, omit: 0s}
    - {name: policy-connect, policies: 10, duration: 1s, omit: 0s}
    - {name: policy-enforcement, effect: deny}
    - {name: policy-matrix}
    - {name: policy-http, policies: 1}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	if len(trials) != 5 {
		t.Errorf("%d trials", len(trials))
	}
	for _, trial := range trials {
		if trial.Status != result.Unsupported || !strings.Contains(trial.Reason, "flannel-vxlan enforces no") {
			t.Errorf("%s is %s: %s", trial.Cell, trial.Status, trial.Reason)
		}
	}
}

// With Cilium policies act: each is seen to, at every count, before the load
// and after it; and the time until then is measured.
func TestCiliumPolicies(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants: [cilium-vxlan]
  scenarios:
    - {name: policy-scaling, policies: [0, 20], duration: 1s, omit: 0s, streams: 2}
    - {name: policy-scaling, policies: 5, shape: [idle, seed-001], duration: 1s, omit: 0s, streams: 2}
    - {name: policy-enforcement, effect: [allow, deny], order: [pod-first, policy-first], repeats: 2}
    - {name: policy-matrix}
    - {name: policy-connect, policies: 5, duration: 1s, omit: 0s, streams: 2}
    - {name: policy-http, policies: 0, rate: 100, duration: 2s, omit: 1s}
    - {name: tcp-pod-single, duration: 1s, omit: 0s}
  blocks: 1
  freshCluster: false
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) {
			switch trial.Scenario {
			case "policy-scaling", "policy-connect":
				checkPolicyScaling(t, trial)
				checkCounters(t, dir, trial)
			case "policy-enforcement":
				checkPolicyEnforcement(t, trial)
			case "policy-matrix":
				checkPolicyMatrix(t, trial)
				if v, ok := trial.Value(policyDenied); !ok || v.Value < 1 {
					t.Errorf("policies denied traffic, and Cilium counted %+v of %s", v, trial.Facts["cni drops"])
				}
			}
		})
	}
}

// policyDenied is what Cilium calls a packet that a policy stopped, at the
// receiving pod.
const policyDenied = "cni-drops-policy-denied-ingress"

// checkCounters: the agents' own metrics are in the trial, and what they said.
func checkCounters(t *testing.T, dir string, trial result.Trial) {
	if v, ok := trial.Value("cni-map-pressure"); !ok || v.Value <= 0 || v.Value > 1 {
		t.Errorf("pressure of maps is %+v; missing: %v", v, trial.Missing)
	}
	if v, ok := trial.Value("cni-drops"); !ok || v.Value < 0 {
		t.Errorf("drops are %+v; missing: %v", v, trial.Missing)
	}
	if got := trial.Facts["cni counters"]; !strings.Contains(got, "cilium_forward_count_total (EGRESS) +") {
		t.Errorf("Cilium forwarded %q", got)
	}
	for _, when := range []string{"before", "after"} {
		kept, err := filepath.Glob(filepath.Join(dir, trial.Raw, "counters-*-9962-"+when+".prom.zst"))
		if err != nil || len(kept) != 2 {
			t.Errorf("of two agents %s the load there is %v, %v", when, kept, err)
		}
	}
}

func checkPolicyScaling(t *testing.T, trial result.Trial) {
	primary := "throughput"
	if trial.Scenario == "policy-connect" {
		primary = "connect-rate"
	}
	for _, metric := range []string{primary, "policies-applied", "policies-confirmed", "policies-cni-memory", "cpu", "cni-memory"} {
		if v, ok := trial.Value(metric); !ok || v.Value <= 0 {
			t.Errorf("%s is %+v", metric, v)
		}
	}
	if trial.Facts["policies in effect after the load"] == "" {
		t.Errorf("nothing shows the policies' effect: %v", trial.Facts)
	}
	if strings.Contains(trial.Cell, "policies=20") {
		if got := trial.Facts["policies in effect"]; !strings.HasPrefix(got, "20 of 20") {
			t.Errorf("in effect: %q", got)
		}
	}
}

func checkPolicyEnforcement(t *testing.T, trial result.Trial) {
	took, ok := trial.Value("enforcement-p50")
	if missed, known := trial.Value("timed-out"); !ok || !known || missed.Value != 0 || took.Value < 0 {
		t.Errorf("took %+v, timed out: %+v", took, missed)
	}
	if pods := strings.Contains(trial.Cell, "pod-first"); pods && took.Value == 0 {
		t.Error("a policy that was not there acted at once")
	}
}

// What Cilium's documentation says of NetworkPolicies, and what the kernel of
// the lab cannot do.
func checkPolicyMatrix(t *testing.T, trial result.Trial) {
	for _, feature := range []string{
		"ingress-deny", "ingress-allow-pods", "ingress-allow-namespaces", "egress-deny", "egress-allow-pods", "port", "named-port",
		"protocol-udp", "policies-add-up",
	} {
		if got := trial.Facts[feature]; got != "enforced" {
			t.Errorf("%s is %q", feature, got)
		}
	}
	// It knows pods by identity and does not look at their addresses.
	if got := trial.Facts["ingress-cidr-of-pods"]; !strings.HasPrefix(got, "not enforced: ") {
		t.Errorf("a CIDR of pods' addresses is %q", got)
	}
	// Nor, in the lab's version, at the end of a range of ports.
	if got := trial.Facts["port-range"]; !strings.HasPrefix(got, "not enforced: ") {
		t.Errorf("a range of ports is %q", got)
	}
	if got := trial.Facts["http-paths"]; !strings.Contains(got, "not supported: ") || !strings.Contains(got, "cilium-envoy") {
		t.Errorf("policies on HTTP requests, without Envoy, are %q", got)
	}
	if got := trial.Facts["protocol-sctp"]; got != "enforced" && !strings.HasPrefix(got, "not supported: ") {
		t.Errorf("SCTP is %q", got)
	}
}
