//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Load from a host outside the cluster, by nodes' ports and load balancers'
// addresses, and what paths take of a link of jumbo frames.
func TestScenariosExternal(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := inPlaceOf(t, writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: tcp-service-single, duration: 1s, omit: 0s, client: external, path: [node-port, load-balancer], placement: [cross-node, same-node]}
    - {name: tcp-service-single, duration: 1s, omit: 0s, path: load-balancer}
    - {name: tcp-pod-single, duration: 1s, omit: 0s, client: external, server: host}
    - {name: tcp-rr, duration: 1s, omit: 0s, client: external, path: load-balancer, rate: 200}
    - {name: tcp-crr, duration: 1s, omit: 0s, client: external, path: node-port}
    - {name: mtu, path: [pod-ip, cluster-ip]}
    - {name: mtu, client: external, path: load-balancer}
  blocks: 1
  freshCluster: false
`), "lab: {nodes: 2}", "lab: {nodes: 2, mtu: 9000}")
	mustRun(t, "run", "--out", dir, "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) {
			outside := strings.Contains(trial.Cell, "client=external") || !strings.HasPrefix(trial.Scenario, "tcp-service") && trial.Scenario != "mtu"
			checkOutside(t, trial, outside)
			if trial.Scenario == "mtu" {
				checkPathMTU(t, trial, outside)
			}
		})
	}
}

// checkOutside holds facts against parameters: whence the load came, where it
// entered, and what address it asked for.
func checkOutside(t *testing.T, trial result.Trial, outside bool) {
	if got := strings.Contains(trial.Facts["client"], "no node of the cluster"); got != outside {
		t.Errorf("the client is %s, to be outside: %t", trial.Facts["client"], outside)
	}
	address, entry := trial.Facts["address"], trial.Facts["enters the cluster at"]
	balanced := strings.Contains(trial.Cell, "load-balancer") || trial.Scenario == "tcp-rr"
	if got := strings.HasPrefix(address, "198.19.0."); got != balanced {
		t.Errorf("it asked for %s, of a load balancer: %t", address, balanced)
	}
	if byNode := trial.Scenario == "tcp-pod-single"; (entry == "") != (byNode || !outside) {
		t.Errorf("it entered at %q", entry)
	}
	if entry == "" {
		return
	}
	same := strings.Contains(trial.Cell, "same-node")
	if !strings.HasPrefix(entry, "node1 ") || strings.Contains(entry, "where the server is") != same || strings.Contains(trial.Facts["server"], " on node1") != same {
		t.Errorf("it entered at %s, and the server is %s", entry, trial.Facts["server"])
	}
}

// checkPathMTU knows what VXLAN takes, and that a host outside has no overlay
// on its own link.
func checkPathMTU(t *testing.T, trial result.Trial, outside bool) {
	const link = 9000.0
	want := map[string]float64{"path-mtu": link - 50, "path-mtu-forward": link - 50, "path-mtu-reverse": link - 50}
	if outside {
		want["route-mtu"] = link
	} else {
		want["route-mtu"], want["mtu-difference"] = link-50, 0
	}
	for name, bytes := range want {
		if v, ok := trial.Value(name); !ok || v.Value != bytes {
			t.Errorf("%s is %v (%t), want %v", name, v.Value, ok, bytes)
		}
	}
	if mss, ok := trial.Value("tcp-mss"); !ok || mss.Value > link-50-40 || mss.Value < link-50-100 {
		t.Errorf("segments of %v bytes (%t) on a link of %v", mss.Value, ok, link)
	}
	if _, known := trial.Missing["mtu-difference"]; known != outside {
		t.Errorf("missing: %v", trial.Missing)
	}
}
