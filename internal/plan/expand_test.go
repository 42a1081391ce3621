package plan_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The plan of the quick campaign never changes: an old campaign file must give
// the plan, and the hash, that its results were measured by.
func TestExpandQuick(t *testing.T) {
	got, err := json.MarshalIndent(expand(t, campaign.Quick()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "testdata/quick.plan.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpandKeepsWhatTheCampaignSays(t *testing.T) {
	got := expand(t, document(`
  cluster: {lab: {nodes: 2, mtu: 9000, kubeProxy: none, maxPods: 50}}
  variants: [flannel-vxlan, {variant: flannel-vxlan, as: twin}]
  scenarios: [{name: tcp-service-multi, duration: 5s, omit: 1s, streams: [1, 4], placement: same-node}]
  blocks: 1
  seed: 18446744073709551615
  analysis: {base: twin, primary: [tcp-service-multi.streams=4/retransmits], margins: {throughput: 5%}}
`))
	got.Hash, got.Blocks = "", nil // another test's
	cell := plan.Cell{
		ID: "tcp-service-multi.streams=1", Scenario: "tcp-service-multi",
		Parameters: parameter.Values{"duration": "5s", "omit": "1s", "streams": "1", "placement": "same-node"},
	}
	other := cell
	other.ID, other.Parameters = "tcp-service-multi.streams=4", maps.Clone(cell.Parameters)
	other.Parameters["streams"] = "4"
	want := plan.Plan{
		Schema: "cnibench.io/plan/v2", Name: "example", Seed: 18446744073709551615, FreshCluster: true,
		Cluster: plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 9000, KubeProxy: "none", MaxPods: 50}},
		Variants: []plan.Variant{
			{Name: "flannel-vxlan", Entry: "flannel-vxlan", Version: "v0.28.4"},
			{Name: "twin", Entry: "flannel-vxlan", Version: "v0.28.4"},
		},
		Cells: []plan.Cell{cell, other},
		Analysis: plan.Analysis{
			Base: "twin", Primary: []string{"tcp-service-multi.streams=4/retransmits"},
			Margins: map[string]float64{"throughput": 0.05},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpandKeepsWhereTheVariantsRun(t *testing.T) {
	for _, tt := range []struct {
		cluster string
		want    plan.Cluster
		fresh   bool
	}{
		{
			"existing: {kubeconfig: kc, context: mine, allowCNIChange: true, allowForeign: true, nodes: {selector: pool=bench, controlPlane: true}, outside: {address: a, command: b}}",
			plan.Cluster{Existing: &plan.Existing{
				Kubeconfig: "kc", Context: "mine", AllowCNIChange: true, AllowForeign: true,
				Nodes: plan.Nodes{Selector: "pool=bench", ControlPlane: true}, Outside: plan.Outside{Address: "a", Command: "b"},
			}}, false,
		},
		{
			"existing: {kubeconfig: kc, context: mine, peer: {context: other, nodes: {server: a}}}",
			plan.Cluster{Existing: &plan.Existing{
				Kubeconfig: "kc", Context: "mine", Peer: &plan.Peer{Kubeconfig: "kc", Context: "other", Nodes: plan.Nodes{Server: "a"}},
			}}, false,
		},
		{
			"lab: {nodes: 2, peer: true}",
			plan.Cluster{Lab: &plan.Lab{Nodes: 2, MTU: 1500, KubeProxy: "iptables", MaxPods: 110, Peer: true}}, true,
		},
		{
			"command: {up: ./up, down: ./down, kubeconfig: kc, nodes: {server: a, client: b}}",
			plan.Cluster{Command: &plan.Command{Up: "./up", Down: "./down", Kubeconfig: "kc", Nodes: plan.Nodes{Server: "a", Client: "b"}}}, true,
		},
	} {
		got := expand(t, document("  cluster: {"+tt.cluster+"}\n  tools: {image: tools:1}\n  variants: [host]\n  scenarios: [tcp-pod-single]\n"))
		if diff := cmp.Diff(tt.want, got.Cluster); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got.FreshCluster != tt.fresh || got.Tools.Image != "tools:1" {
			t.Errorf("fresh clusters %t, tools %q", got.FreshCluster, got.Tools.Image)
		}
	}
}

// Every variant with every MTU is an arm of its own, with a lab of its own. A
// list of one MTU is the plan, and has the hash, of that MTU.
func TestExpandMTUs(t *testing.T) {
	const rest = "  variants: [host, flannel-vxlan]\n  scenarios: [tcp-pod-single]\n  blocks: 1\n"
	p := expand(t, document("  cluster: {lab: {mtu: [1500, 9000]}}\n"+rest))
	var got []string
	for _, trial := range p.Trials() {
		got = append(got, fmt.Sprintf("%s %s %d", trial.Variant.Name, trial.Variant.Entry, trial.Variant.MTU))
	}
	slices.Sort(got)
	want := []string{
		"flannel-vxlan-mtu1500 flannel-vxlan 1500", "flannel-vxlan-mtu9000 flannel-vxlan 9000", "host-mtu1500 host 1500", "host-mtu9000 host 9000",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	if p.Cluster.Lab.MTU != 0 || p.Analysis.Base != "host-mtu1500" {
		t.Errorf("the lab's MTU is %d, the base %s", p.Cluster.Lab.MTU, p.Analysis.Base)
	}
	one, list := expand(t, document("  cluster: {lab: {mtu: 9000}}\n"+rest)), expand(t, document("  cluster: {lab: {mtu: [9000]}}\n"+rest))
	if one.Hash != list.Hash || one.Cluster.Lab.MTU != 9000 {
		t.Errorf("a list of one MTU: hash %s, alone: hash %s and MTU %d", list.Hash, one.Hash, one.Cluster.Lab.MTU)
	}
}

func TestExpandRefuses(t *testing.T) {
	good, err := campaign.Parse("campaign.yaml", document("  variants: [host]\n  scenarios: [tcp-pod-single]\n"), known())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		change func(*campaign.Spec)
		known  campaign.Known
		want   string
	}{
		{"no variant", func(s *campaign.Spec) { s.Variants = nil }, known(), "measures nothing: 0 variants, 1 cells, 10 blocks"},
		{"no scenario", func(s *campaign.Spec) { s.Scenarios = nil }, known(), "measures nothing: 1 variants, 0 cells, 10 blocks"},
		{"no block", func(s *campaign.Spec) { s.Blocks = 0 }, known(), "measures nothing: 1 variants, 1 cells, 0 blocks"},
		{"too many trials", func(s *campaign.Spec) { s.Blocks = 1_000_001 }, known(), "makes 1000001 trials, more than 1000000"},
		{"no primary metric", func(*campaign.Spec) {}, campaign.Known{}, `scenario "tcp-pod-single" declares none`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := good
			tt.change(&c.Spec)
			_, err := plan.Expand(c, tt.known)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// FuzzExpand: what Parse accepts expands to a plan that holds together, or to
// an error.
func FuzzExpand(f *testing.F) {
	files, err := filepath.Glob("../campaign/testdata/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no campaign files", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(campaign.Quick())
	f.Add(campaign.Starter())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := campaign.Parse("campaign.yaml", data, known())
		if err != nil {
			return
		}
		p, err := plan.Expand(c, known())
		if err != nil {
			return
		}
		document, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Decode(document); err != nil {
			t.Error(err)
		}
		type key struct {
			block         int
			variant, cell string
		}
		seen := map[key]bool{}
		for _, trial := range p.Trials() {
			k := key{trial.Block, trial.Variant.Name, trial.Cell.ID}
			if k.variant == "" || k.cell == "" || seen[k] {
				t.Fatalf("trial without variant or cell, or planned twice: %+v", trial)
			}
			seen[k] = true
		}
		if want := len(p.Blocks) * len(p.Variants) * len(p.Cells); len(seen) != want {
			t.Errorf("%d trials, want %d", len(seen), want)
		}
	})
}
