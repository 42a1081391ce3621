package campaign_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/campaign"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Every testdata/NAME.yaml is refused with the words of testdata/NAME.err.
func TestParseRefuses(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no campaign files in testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = campaign.Parse("campaign.yaml", data, known())
			if err == nil {
				t.Fatal("accepted")
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".err", err.Error()+"\n")
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
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
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// parse reads a campaign whose spec is given, indented by two blanks.
func parse(t *testing.T, spec string) campaign.Campaign {
	t.Helper()
	c, err := campaign.Parse("campaign.yaml", document(spec), known())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func document(spec string) []byte {
	return []byte("apiVersion: cnibench.io/v1alpha1\nkind: Campaign\nmetadata: {name: example}\nspec:\n" + spec)
}

func TestParseFillsInDefaults(t *testing.T) {
	got := parse(t, "  variants: [flannel-vxlan, host]\n  scenarios: [tcp-pod-single, idle]\n")
	want := campaign.Campaign{
		APIVersion: "cnibench.io/v1alpha1", Kind: "Campaign",
		Metadata: campaign.Metadata{Name: "example"},
		Spec: campaign.Spec{
			Cluster:  campaign.Cluster{Lab: &campaign.Lab{Nodes: 3, MTUs: []int{1500}, KubeProxy: "iptables", MaxPods: 110}},
			Variants: []campaign.Variant{{Name: "flannel-vxlan", Entry: "flannel-vxlan", Version: "v0.28.4"}, {Name: "host", Entry: "host"}},
			Scenarios: []campaign.Scenario{
				{Name: "tcp-pod-single", Parameters: []campaign.Parameter{
					{Name: "duration", Values: []string{"10s"}}, {Name: "omit", Values: []string{"2s"}}, {Name: "placement", Values: []string{"cross-node"}},
				}},
				{Name: "idle", Parameters: []campaign.Parameter{{Name: "duration", Values: []string{"10s"}}}},
			},
			Blocks: 10, FreshCluster: true, Seed: 1,
			Analysis: campaign.Analysis{Base: "host"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// everything gives every key that a spec may have.
const everything = `
  cluster: {lab: {nodes: 2, mtu: 9000, kubeProxy: nftables, maxPods: 50}}
  tools: {image: registry.example.com/tools:1}
  variants: [{variant: flannel-vxlan, version: 0.28.4, values: {a: {b: 1}}, as: ours}, {variant: flannel-vxlan, namespaceLabels: {istio-injection: enabled}, podTemplate: {metadata: {labels: {a: b}}}}]
  scenarios:
    - {name: tcp-service-multi, duration: 1m30s, omit: 0s, streams: [4, 1], placement: [same-node, cross-node]}
    - {name: requests, target: [shop, none, store]}
  targets:
    - {name: shop, url: "https://192.0.2.7:8443/cart?a=b@c", host: shop.example.com, insecure: true}
    - {name: store, url: "http://store.example.com"}
  blocks: 12
  stop: {halfWidth: 1.5%, looks: [10, 12]}
  freshCluster: false
  seed: 18446744073709551615
  analysis:
    base: flannel-vxlan
    primary: [tcp-service-multi.streams=4.placement=same-node/retransmits]
    margins: {throughput: 2.5%, retransmits: 10}
    aa: ours
  prometheus:
    url: https://prometheus.example.com/sub/
    wait: 60
    username: me
    password: {env: PASSWORD}
    queries:
      - {name: node-temp, unit: celsius, better: lower, margin: 2, query: "max(temp)"}
      - {name: power, unit: W, better: lower, scale: ratio, margin: 5%, query: "sum(rate(joules[$window]))"}
  validity: {steal: 12.5%, foreignCPU: off, clockStep: false}
`

func TestParseTakesWhatIsWritten(t *testing.T) {
	got := parse(t, everything)
	want := campaign.Spec{
		Cluster: campaign.Cluster{Lab: &campaign.Lab{Nodes: 2, MTUs: []int{9000}, KubeProxy: "nftables", MaxPods: 50}},
		Tools:   campaign.Tools{Image: "registry.example.com/tools:1"},
		Variants: []campaign.Variant{
			{Name: "ours", Entry: "flannel-vxlan", Version: "v0.28.4", Values: map[string]any{"a": map[string]any{"b": 1.0}}},
			{
				Name: "flannel-vxlan", Entry: "flannel-vxlan", Version: "v0.28.4",
				PodTemplate:     map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}},
				NamespaceLabels: map[string]string{"istio-injection": "enabled"},
			},
			{Name: "ours-aa", Entry: "flannel-vxlan", Version: "v0.28.4", Values: map[string]any{"a": map[string]any{"b": 1.0}}},
		},
		Scenarios: []campaign.Scenario{{
			Name: "tcp-service-multi", Parameters: []campaign.Parameter{
				{Name: "duration", Values: []string{"1m30s"}}, {Name: "omit", Values: []string{"0s"}},
				{Name: "streams", Values: []string{"4", "1"}}, {Name: "placement", Values: []string{"same-node", "cross-node"}},
			},
		}, {
			Name: "requests", TargetParameter: "target", Parameters: []campaign.Parameter{
				{Name: "duration", Values: []string{"10s"}}, {Name: "target", Values: []string{"shop", "none", "store"}},
			},
		}},
		Targets: []campaign.Target{
			{Name: "shop", URL: "https://192.0.2.7:8443/cart?a=b@c", Host: "shop.example.com", Insecure: true},
			{Name: "store", URL: "http://store.example.com"},
		},
		Blocks: 12, Stop: &campaign.Stop{HalfWidth: 0.015, Looks: []int{10, 12}}, Seed: 18446744073709551615,
		Analysis: campaign.Analysis{
			Base:    "flannel-vxlan",
			Primary: []string{"tcp-service-multi.streams=4.placement=same-node/retransmits"},
			Margins: map[string]float64{"throughput": 0.025, "retransmits": 10},
			AA:      &campaign.AA{Variant: "ours", Name: "ours-aa"},
		},
		Prometheus: &campaign.Prometheus{
			URL: "https://prometheus.example.com/sub", Wait: time.Minute, Username: "me", Password: campaign.Secret{Env: "PASSWORD"},
			Queries: []campaign.Query{
				{Name: "node-temp", Unit: "celsius", Better: "lower", Scale: "difference", Margin: 2, Query: "max(temp)"},
				{Name: "power", Unit: "W", Better: "lower", Scale: "ratio", Margin: 0.05, Query: "sum(rate(joules[$window]))"},
			},
		},
		Validity: &campaign.Validity{Steal: 0.125},
	}
	if diff := cmp.Diff(want, got.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a campaign leaves out of its rules stays as it is by default.
func TestParseValidity(t *testing.T) {
	for text, want := range map[string]*campaign.Validity{
		"":                       nil,
		"validity: off":          {},
		"validity: {steal: 10%}": {Steal: 0.10, ForeignCPU: campaign.DefaultForeignCPU, ClockStep: true},
		"validity: {steal: off}": {ForeignCPU: campaign.DefaultForeignCPU, ClockStep: true},
		`validity: {clockStep: "off", foreignCPU: 20 %}`: {Steal: campaign.DefaultSteal, ForeignCPU: 0.20},
	} {
		got := parse(t, "  variants: [host]\n  scenarios: [tcp-pod-single]\n  "+text+"\n")
		if diff := cmp.Diff(want, got.Spec.Validity); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseReadsAliases(t *testing.T) {
	got := parse(t, "  variants: [host]\n  scenarios:\n    - {name: tcp-pod-single, duration: &d 4s}\n    - {name: tcp-service-multi, duration: *d}\n")
	for _, s := range got.Spec.Scenarios {
		if got := s.Parameters[0]; got.Name != "duration" || got.Values[0] != "4s" {
			t.Errorf("%s: %+v, want a duration of 4s", s.Name, got)
		}
	}
}

func TestDefaultBaseIsTheHostEntryOrTheFirst(t *testing.T) {
	for _, tt := range []struct{ variants, want string }{
		{"[flannel-vxlan, {variant: host, as: bare}]", "bare"},
		{"[flannel-vxlan, flannel-host-gw]", "flannel-vxlan"},
		{"[flannel-vxlan, {variant: flannel-host-gw, as: host}]", "flannel-vxlan"},
	} {
		got := parse(t, "  variants: "+tt.variants+"\n  scenarios: [idle]\n")
		if got.Spec.Analysis.Base != tt.want {
			t.Errorf("%s: base %q, want %q", tt.variants, got.Spec.Analysis.Base, tt.want)
		}
	}
}

// With several MTUs there are several arms of host: the first is the base
// unless another is named, by the arm's name or the variant's own.
func TestBaseAmongMTUs(t *testing.T) {
	for _, tt := range []struct{ analysis, want string }{
		{"{}", "host-mtu9000"},
		{"{base: host}", "host-mtu9000"},
		{"{base: host-mtu1500}", "host-mtu1500"},
		{"{base: flannel}", "flannel-mtu9000"},
	} {
		got := parse(t, "  cluster: {lab: {mtu: [9000, 1500]}}\n  variants: [flannel, host]\n  scenarios: [idle]\n  analysis: "+tt.analysis+"\n")
		if got.Spec.Analysis.Base != tt.want {
			t.Errorf("%s: base %q, want %q", tt.analysis, got.Spec.Analysis.Base, tt.want)
		}
	}
}

// The twin of a variant that runs with several MTUs is that of its arm with the
// first, unless another is named.
func TestTwinAmongMTUs(t *testing.T) {
	for _, tt := range []struct{ aa, want string }{{"flannel", "flannel-mtu9000"}, {"host-mtu1500", "host-mtu1500"}} {
		got := parse(t, "  cluster: {lab: {mtu: [9000, 1500]}}\n  variants: [flannel, host]\n  scenarios: [idle]\n  analysis: {aa: "+tt.aa+"}\n").Spec
		want := campaign.AA{Variant: tt.want, Name: tt.want + "-aa"}
		if diff := cmp.Diff(&want, got.Analysis.AA); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.aa, diff)
		}
		of, last := got.Variants[slices.IndexFunc(got.Variants, func(v campaign.Variant) bool { return v.Name == tt.want })], got.Variants[len(got.Variants)-1]
		of.Name = want.Name
		if diff := cmp.Diff(of, last); diff != "" {
			t.Errorf("%s: the twin differs (-variant +twin):\n%s", tt.aa, diff)
		}
	}
}

// Without looks there are those of the methodology; the last is the number of
// blocks, whether or not blocks says so too.
func TestStopHasDefaultLooks(t *testing.T) {
	for _, blocks := range []string{"", "  blocks: 20\n"} {
		got := parse(t, "  variants: [host]\n  scenarios: [idle]\n  stop: {halfWidth: 2%}\n"+blocks).Spec
		want := campaign.Stop{HalfWidth: 0.02, Looks: []int{10, 15, 20}}
		if diff := cmp.Diff(&want, got.Stop); diff != "" || got.Blocks != 20 {
			t.Errorf("%d blocks (-want +got):\n%s", got.Blocks, diff)
		}
	}
}

func TestTooManyCellsAreRefused(t *testing.T) {
	var all []string
	for i := range 128 {
		all = append(all, strconv.Itoa(i+1))
	}
	spec := "  variants: [host]\n  scenarios:\n"
	for i := range 9 {
		spec += fmt.Sprintf("    - {name: tcp-service-multi, duration: %ds, streams: [%s]}\n", i+1, strings.Join(all, ", "))
	}
	_, err := campaign.Parse("campaign.yaml", document(spec), known())
	want := campaign.Problems{{
		File: "campaign.yaml", Line: 14, Column: 7,
		Message: "more than 1000 cells up to here", Hint: "split the campaign",
	}}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzParse: whatever the bytes are, Parse returns, and what it refuses it
// explains: every problem has a place, words and a fix, in order of lines.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
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
	valid := resolveSchema(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := campaign.Parse("campaign.yaml", data, known())
		if err == nil {
			if err := valid(data); err != nil {
				t.Errorf("Parse accepts what the schema refuses: %v", err)
			}
			return
		}
		var problems campaign.Problems
		if !errors.As(err, &problems) || len(problems) == 0 {
			t.Fatalf("the error is %T, not Problems", err)
		}
		for _, p := range problems {
			if p.File != "campaign.yaml" || p.Line < 1 || p.Column < 0 || p.Message == "" || p.Hint == "" {
				t.Errorf("incomplete problem: %+v", p)
			}
		}
		if !slices.IsSortedFunc(problems, func(a, b campaign.Problem) int { return a.Line - b.Line }) {
			t.Errorf("not in order of lines:\n%v", problems)
		}
	})
}
