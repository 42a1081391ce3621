//go:build e2e

package e2e

import (
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Bulk load and requests by the addresses of either family of a dual-stack lab,
// to pods and Services.
func TestScenariosIPFamilies(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := inPlaceOf(t, writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: tcp-pod-single, duration: 1s, omit: 0s, ip-family: [first, ipv4, ipv6]}
    - {name: tcp-service-single, duration: 1s, omit: 0s, ip-family: ipv6, path: [cluster-ip, node-port]}
    - {name: udp-rate, duration: 1s, omit: 0s, rate: 20Mbit, ip-family: ipv6}
    - {name: tcp-rr, duration: 1s, omit: 0s, rate: 500, ip-family: [ipv4, ipv6]}
    - {name: udp-rr, duration: 1s, omit: 0s, rate: 500, ip-family: ipv6, path: cluster-ip}
  blocks: 1
  freshCluster: false
`), "lab: {nodes: 2}", "lab: {nodes: 2, ipFamily: dual}")
	mustRun(t, "run", "--out", dir, "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) {
			six := strings.Contains(trial.Cell, "ip-family=ipv6") || !strings.Contains(trial.Scenario, "pod-single") && trial.Scenario != "tcp-rr"
			if address := addressOf(t, trial); address.Is6() != six {
				t.Errorf("the server is reached at %s", address)
			}
		})
	}
}

// A lab with IPv6 alone runs loads by it, and has no other family.
func TestScenariosIPv6(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := inPlaceOf(t, writeCampaign(t, `
  variants: [flannel-host-gw]
  scenarios:
    - {name: tcp-pod-single, duration: 1s, omit: 0s, ip-family: [first, ipv4]}
    - {name: tcp-rr, duration: 1s, omit: 0s, rate: 500}
  blocks: 1
  freshCluster: false
`), "lab: {nodes: 2}", "lab: {nodes: 2, ipFamily: ipv6}")
	mustRun(t, "run", "--out", dir, "-f", file)
	for _, trial := range journal(t, dir) {
		if strings.Contains(trial.Cell, "ip-family=ipv4") {
			if trial.Status != result.Unsupported || !strings.Contains(trial.Reason, "no address of the family ipv4") {
				t.Errorf("%s is %s: %s", trial.Cell, trial.Status, trial.Reason)
			}
			continue
		}
		if trial.Status != result.OK {
			t.Errorf("%s is %s: %s", trial.Cell, trial.Status, trial.Reason)
		} else if address := addressOf(t, trial); !address.Is6() {
			t.Errorf("%s: the server is reached at %s", trial.Cell, address)
		}
	}
}

// addressOf is where a trial's client found its server.
func addressOf(t *testing.T, trial result.Trial) netip.Addr {
	t.Helper()
	at, err := netip.ParseAddrPort(trial.Facts["address"])
	if err != nil {
		t.Fatalf("the address is %q: %v", trial.Facts["address"], err)
	}
	return at.Addr().Unmap()
}
