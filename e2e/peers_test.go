//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Loads from one lab to another by every address: what leads there is measured,
// of both labs, and what does not is unsupported at once.
func TestScenariosCrossCluster(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := inPlaceOf(t, writeCampaign(t, `
  variants: [host, flannel-vxlan]
  scenarios:
    - {name: cross-cluster, duration: 1s, omit: 0s, address: [node-port, host, pod-ip]}
    - {name: cross-cluster, duration: 1s, omit: 0s, address: host, direction: bidir, streams: 2, client: host}
    - {name: cross-cluster-rr, duration: 1s, omit: 0s, rate: 500, address: [node-port, host]}
  blocks: 1
  freshCluster: false
`), "lab: {nodes: 2}", "lab: {nodes: 2, peer: true}")
	mustRun(t, "run", "--out", dir, "-f", file)
	for _, trial := range journal(t, dir) {
		t.Run(trial.Variant+"/"+trial.Cell, func(t *testing.T) { checkAcross(t, trial) })
	}
}

func checkAcross(t *testing.T, trial result.Trial) {
	if trial.Variant != "host" && strings.Contains(trial.Cell, "address=pod-ip") {
		if trial.Status != result.Unsupported || !strings.Contains(trial.Reason, "by address pod-ip") {
			t.Errorf("%s: %s", trial.Status, trial.Reason)
		}
		return
	}
	if trial.Status != result.OK {
		t.Fatalf("%s: %s", trial.Status, trial.Reason)
	}
	if trial.Values[0].Value <= 0 {
		t.Errorf("%s is %v", trial.Values[0].Name, trial.Values[0].Value)
	}
	// The two ends are in two labs, whose addresses differ.
	first, second := trial.Facts["client"], trial.Facts["address"]
	if strings.Contains(first, " 198.18.1.") || !strings.HasPrefix(second, "198.18.1.") {
		t.Errorf("from %s to %s", first, second)
	}
	for _, metric := range []string{"cpu", "cni-cpu", "cni-memory", "memory"} {
		if _, ok := trial.Value(metric); !ok {
			t.Errorf("no value for %s", metric)
		}
	}
}

// A lab that is joined to another goes on when that one is gone, and the other
// way round, also when one is killed.
func TestJoinedLabsEndAlone(t *testing.T) {
	leavesNothing(t)
	const hub, first, second = "e2e-hub", "e2e-joined", "e2e-late"
	downAtEnd(t, hub, first, second)
	down := func(names ...string) { mustRun(t, append([]string{"lab", "down"}, names...)...) }
	up := func(name string, args ...string) {
		mustRun(t, append([]string{"lab", "up", name, "--nodes", "1", "--variant", "none"}, args...)...)
	}
	reach := func(from, to string) outcome {
		return run(t, "lab", "exec", from, "node1", "--", "ping", "-c", "1", "-W", "5", to)
	}
	const hubNode, firstNode, secondNode = "198.18.0.11", "198.18.1.11", "198.18.2.11"
	up(hub)
	up(first, "--peer", hub)
	run(t, "lab", "up", second, "--nodes", "1", "--variant", "none", "--peer", first).refused(t, 1, "is itself joined to "+hub)
	up(second, "--peer", hub)
	for _, way := range []struct{ from, to string }{
		{hub, firstNode}, {first, hubNode}, {first, secondNode}, {second, firstNode}, {second, hubNode},
	} {
		if o := reach(way.from, way.to); o.status != 0 {
			t.Errorf("from %s to %s: %s", way.from, way.to, o.stderr)
		}
	}
	down(first)
	if o := reach(second, hubNode); o.status != 0 {
		t.Errorf("after another peer's end: %s", o.stderr)
	}
	pid := readLabRecord(t, hub).Supervisor.PID
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the supervisor to end", func() bool {
		b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		return err != nil || strings.Contains(string(b), ") Z ")
	})
	if list := mustRun(t, "lab", "list"); strings.Contains(list.stdout, hub) || !strings.Contains(list.stdout, second) {
		t.Errorf("after the hub was killed:\n%s", list.stdout)
	}
	if o := reach(second, "198.18.2.1"); o.status != 0 {
		t.Errorf("a lab whose peer was killed: %s", o.stderr)
	}
	down(second)
}
