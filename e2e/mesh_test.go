//go:build e2e

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// Load between more than two nodes: every pair, many to one, one to many, and
// three loads at once. The report draws the matrix.
func TestScenariosMesh(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := inPlaceOf(t, writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios:
    - {name: mesh, duration: 1s, omit: 0s}
    - {name: mesh, duration: 1s, omit: 0s, direction: forward, parallel: false, ends: host}
    - {name: fan-in, duration: 1s, omit: 0s, clients: 3}
    - {name: fan-out, duration: 1s, omit: 0s, servers: 3}
    - {name: mixed, duration: 2s, omit: 2s, load: 50Mbit, rate: 100, dns-rate: 20}
  blocks: 1
  freshCluster: false
`), "{nodes: 2}", "{nodes: 3}")
	mustRun(t, "run", "--out", dir, "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Cell, func(t *testing.T) {
			switch trial.Scenario {
			case "mesh":
				checkMesh(t, trial)
			case "mixed":
				checkMixed(t, trial)
			default:
				checkFan(t, trial)
			}
		})
	}
	html, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(html, []byte(`<section id="nodes">`)) {
		t.Error("the report has no matrix")
	}
}

// checkMesh wants every pair, in one direction or both, and figures that fit
// the matrix.
func checkMesh(t *testing.T, trial result.Trial) {
	want := []string{"node1>node2", "node1>node3", "node2>node3"}
	if strings.Contains(trial.Cell, "direction=bidir") {
		want = append(want, "node2>node1", "node3>node1", "node3>node2")
	}
	slowest, pairs := 0.0, 0
	for _, v := range trial.Values {
		if v.Group == result.BetweenNodes {
			if pairs++; slowest == 0 || v.Value < slowest {
				slowest = v.Value
			}
		}
	}
	for _, name := range want {
		if v, ok := trial.Value(name); !ok || v.Value <= 0 {
			t.Errorf("%s: %v", name, v.Value)
		}
	}
	least, _ := trial.Value("pair-throughput-min")
	middle, _ := trial.Value("pair-throughput")
	if pairs != len(want) || least.Value != slowest || middle.Value < slowest || trial.Values[0].Name != "pair-throughput" {
		t.Errorf("%d pairs, the slowest %v; median %v, minimum %v", pairs, slowest, middle.Value, least.Value)
	}
	if rounds := strings.Count(trial.Facts["rounds"], ";") + 1; rounds != 3 {
		t.Errorf("rounds: %s", trial.Facts["rounds"])
	}
}

// checkFan wants the many on all other nodes.
func checkFan(t *testing.T, trial result.Trial) {
	hub, ways := "node1", []string{"node1 to node2", "node1 to node3"}
	if trial.Scenario == "fan-in" {
		hub, ways = "node2", []string{"node1 to node2", "node3 to node2"}
	}
	connections := trial.Facts["connections"]
	if !strings.HasSuffix(trial.Facts["the one"], " on "+hub) || strings.Count(connections, ";") != 2 {
		t.Errorf("the one: %s; connections: %s", trial.Facts["the one"], connections)
	}
	for _, way := range ways {
		if !strings.Contains(connections, way) {
			t.Errorf("no connection from %s: %s", way, connections)
		}
	}
	total, _ := trial.Value("throughput")
	fair, ok := trial.Value("fairness")
	if total.Value <= 0 || !ok || fair.Value < 100.0/3-0.1 || fair.Value > 100.001 {
		t.Errorf("throughput %v, fairness %v", total.Value, fair.Value)
	}
}

// checkMixed wants figures of all three loads.
func checkMixed(t *testing.T, trial result.Trial) {
	for _, metric := range []string{"latency-p99", "dns-latency-p99", "load-throughput"} {
		if v, ok := trial.Value(metric); !ok || v.Value <= 0 {
			t.Errorf("%s: %v", metric, v.Value)
		}
	}
	if trial.Values[0].Name != "latency-p99" || trial.Facts["name server"] != "10.96.0.10:53" || trial.Facts["answers NXDOMAIN"] == "" {
		t.Errorf("first %s, facts %v", trial.Values[0].Name, trial.Facts)
	}
}
