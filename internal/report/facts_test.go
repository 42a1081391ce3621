package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// factsOfTwo adds to the synthetic environment two invented machines that are
// almost alike, and links of which one could not be read.
func factsOfTwo(env result.Environment) {
	node := func(gro string) result.Facts {
		return result.Facts{
			Values: map[string]string{
				"uplink.mtu": "1500", "uplink.driver": "invent25", "uplink.offload.rx-gro": gro, "uplink.offload.tx-tcp-segmentation": "on [fixed]",
				"uplink.offload.rx-lro": "off [fixed]", "uplink.offload.rx-gro-list": "off", "foreign": "none", "uplink.bus": "0000:3b:00.0",
			},
			Missing: map[string]string{"placement.zone": "the node has no label topology.kubernetes.io/zone", "placement.region": "not asked"},
		}
	}
	kernel := func(governor string) result.Facts {
		return result.Facts{Values: map[string]string{"kernel.release": "6.18.5", "cpu.governor": governor}, Missing: map[string]string{"cpu.turbo": "no driver sets CPU frequencies here"}}
	}
	for name, v := range env.Variants {
		v.LoadNodes = []string{"node-1", "node-2"}
		v.Kernels = []result.Kernel{{Nodes: []string{"node-1", "node-3"}, Facts: kernel("performance")}, {Nodes: []string{"node-2"}, Facts: kernel("powersave")}}
		v.Nodes[0].Facts, v.Nodes[1].Facts = node("on"), node("off")
		v.Ends = map[string]result.Facts{
			"client": {Values: map[string]string{"pod.mtu": v.Facts["pod MTU"]}},
			"server": {Missing: map[string]string{result.Unread: `exit status 1: <b>"killed"</b>`}},
		}
		v.Path = []result.Hop{
			{Place: "client pod", Link: "eth0", MTU: 1450}, {Place: "client node", Link: "uplink", MTU: 1500}, {Place: "server pod", Link: "eth0", MTU: 1450}, {Place: "path", MTU: 1450},
		}
		env.Variants[name] = v
	}
}

// The section on the environment shows facts once that hold everywhere, and what
// differs between nodes before everything else of the machines.
func TestEnvironmentFacts(t *testing.T) {
	p, trials := syntheticCampaign(syntheticVariants[:2], 2)
	env := syntheticEnvironment(p)
	factsOfTwo(env)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := HTML(&page, Source{Analysis: a, Environment: env}); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(page.String(), `<section id="environment">`)
	got, _, found := strings.Cut(rest, `<section id="plan">`)
	if !found {
		t.Fatal("the page has no section on the environment")
	}
	file := filepath.Join("testdata", "environment.html")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
	var text bytes.Buffer
	if err := Text(&text, a); err != nil {
		t.Fatal(err)
	}
	if flat := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(flat, "nodes node-1 and node-2 differ in cpu.governor (performance; powersave), uplink.offload.rx-gro (on; off)") {
		t.Errorf("the text does not warn of nodes that differ:\n%s", text.String())
	}
}
