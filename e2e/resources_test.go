//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/result"
)

// What a plugin uses and brings along, against the host baseline, with and
// without a container beside the load, on CPUs of its own.
func TestScenariosResources(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	mustRun(t, "run", "--out", dir, "-f", writeCampaign(t, `
  variants:
    - host
    - variant: flannel-vxlan
      as: beside
      namespaceLabels: {mesh: enabled}
      podTemplate: {spec: {containers: [{name: proxy, image: "docker.io/cnibench/tools:lab", command: [cnibench-probe, pause]}]}}
  scenarios:
    - install-footprint
    - {name: cni-resources, duration: 2s, omit: 1s, services: 20, load: [idle, tcp-pod-multi, udp-pod-multi, tcp-crr, services]}
    - {name: tcp-pod-single, duration: 1s, omit: 0s, cpuset: "0"}
  blocks: 1
`))
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	for _, trial := range trials {
		t.Run(trial.Variant+" "+trial.Cell, func(t *testing.T) {
			switch trial.Scenario {
			case "install-footprint":
				checkFootprint(t, trial)
			case "cni-resources":
				checkAgents(t, trial)
			default:
				if trial.Facts["client CPUs"] != "0" || trial.Facts["server CPUs"] != "0" {
					t.Errorf("facts %v", trial.Facts)
				}
			}
		})
	}
	facts := environment(t, dir).Variants["beside"].Facts
	if facts["namespace labels"] != "mesh=enabled" || facts["beside the load"] == "" {
		t.Errorf("facts %v", facts)
	}
}

// The baseline installs nothing and has true zeros; a plugin has times that
// follow each other.
func checkFootprint(t *testing.T, trial result.Trial) {
	objects, _ := trial.Value("objects")
	apply, timed := trial.Value("time-to-apply")
	nodes, _ := trial.Value("time-to-nodes-ready")
	reply, _ := trial.Value("time-to-first-reply")
	bytes, sized := trial.Value("image-bytes")
	if trial.Variant == "host" {
		if objects.Value != 0 || timed || bytes.Value != 0 {
			t.Errorf("the baseline has %v", trial.Values)
		}
		return
	}
	if objects.Value < 1 || !sized || bytes.Value < 1<<20 || !(apply.Value < nodes.Value && nodes.Value < reply.Value) {
		t.Errorf("values %v", trial.Values)
	}
}

func checkAgents(t *testing.T, trial result.Trial) {
	memory, there := trial.Value("cni-memory")
	largest, _ := trial.Value("cni-memory-max")
	if !there || (memory.Value > 0) == (trial.Variant == "host") || largest.Value < memory.Value {
		t.Errorf("memory %v, at most %v", memory.Value, largest.Value)
	}
}

// Every variant with every MTU has a lab of that MTU, and packets that fill it.
func TestScenariosMTUs(t *testing.T) {
	leavesNothing(t)
	dir := filepath.Join(t.TempDir(), "results")
	file := writeCampaign(t, `
  variants: [flannel-vxlan]
  scenarios: [{name: tcp-pod-single, duration: 1s, omit: 0s}]
  blocks: 1
`)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), "{nodes: 2}", "{nodes: 2, mtu: [1500, 9000]}", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "run", "--out", dir, "-f", file)
	trials := journal(t, dir)
	wantOK(t, dir, trials)
	const vxlan = 50 // bytes that it adds to a packet
	for _, mtu := range []int{1500, 9000} {
		arm := environment(t, dir).Variants["flannel-vxlan-mtu"+strconv.Itoa(mtu)]
		if got := arm.Facts["largest packet that passed"]; got != strconv.Itoa(mtu-vxlan) {
			t.Errorf("MTU %d: the largest packet that passed has %s bytes", mtu, got)
		}
	}
}
