package cni

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni/charts"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", name, diff)
	}
}

// site is a lab's.
var site = cluster.Site{
	PodCIDR: "10.244.0.0/16", ServiceCIDR: "10.96.0.0/16", APIHost: "198.18.0.1", APIPort: "6443", Uplink: "eth0", LinkMTU: 1500,
	ControlPlaneIPs: []string{"198.18.0.1"}, KubeVersion: "v1.34.4",
}

func render(t *testing.T, e Entry, from ChartSource) Manifests {
	t.Helper()
	m, err := e.Render(context.Background(), from, site)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRender(t *testing.T) {
	e, from := entry(t, "flannel-vxlan"), charts.Kit{"flannel": "testdata/kube-flannel"}
	before := fmt.Sprintf("%+v", e)
	first := render(t, e, from)
	golden(t, "flannel-vxlan.yaml", string(first.YAML))
	if diff := cmp.Diff(first, render(t, e, from)); diff != "" {
		t.Errorf("the second time it is different (-first +second):\n%s", diff)
	}
	if after := fmt.Sprintf("%+v", e); after != before {
		t.Errorf("rendering has changed the catalog's entry:\nbefore %s\nafter  %s", before, after)
	}
	if other := render(t, entry(t, "flannel-host-gw"), from); other.Digest == first.Digest {
		t.Error("two variants have the same digest")
	}
	want := []Hook{{"Job", "kube-flannel", "farewell", []string{"pre-delete"}}}
	if diff := cmp.Diff(want, first.Hooks); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"example.org/flannel:v0.28.4"}, first.Images); diff != "" {
		t.Errorf("images (-want +got):\n%s", diff)
	}
}

func TestRenderNothing(t *testing.T) {
	m, err := entry(t, "host").Render(context.Background(), charts.First{}, cluster.Site{})
	if err != nil || m.YAML != nil || m.Digest != "" {
		t.Errorf("a variant that installs nothing gives %+v, %v", m, err)
	}
}

func TestRenderRefuses(t *testing.T) {
	good := charts.Kit{"flannel": "testdata/kube-flannel"}
	for _, tt := range []struct {
		name   string
		from   ChartSource
		values map[string]any
		site   cluster.Site
		want   string
	}{
		{"no chart", charts.First{}, nil, site, "chart flannel v0.28.4 cannot be had from https://flannel-io.github.io/flannel/"},
		{"template that fails", charts.Kit{"flannel": "testdata/broken"}, nil, site, "a kind is required"},
		{"misspelt value", good, map[string]any{"flannel": map[string]any{"backned": "vxlan"}}, site,
			"chart flannel v0.28.4 has no value flannel.backned, which is among the values given by you; did you mean flannel.backend?"},
		{"misspelt table", good, map[string]any{"flanel": map[string]any{"mtu": 1400}}, site, "no value flanel, which is among the values given by you; did you mean flannel?"},
		{"against the schema", good, map[string]any{"flannel": map[string]any{"backend": 7}}, site, "refuses the values given by you: at '/flannel/backend'"},
		{"cluster not known", good, nil, cluster.Site{}, "flannel-vxlan needs ${podCIDR} of the cluster, which is not known"},
		{"Kubernetes too old", good, nil, cluster.Site{PodCIDR: "10.0.0.0/8", KubeVersion: "v1.20.0"}, "is for Kubernetes >=1.25"},
		{"image that moves", good, map[string]any{"tag": "latest"}, site, `the image "example.org/flannel:latest", which has no fixed tag`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := builtinCatalog(t).Entry("flannel-vxlan", Choice{Lab: true, Values: tt.values})
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Render(context.Background(), tt.from, tt.site)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "rendering flannel-vxlan") {
				t.Errorf("error %v, want one that names the variant and says %q", err, tt.want)
			}
		})
	}
}

// TestRenderParts: what is before and after, edits, placeholders and keys.
func TestRenderParts(t *testing.T) {
	c := empty()
	err := c.add("own.yaml", []byte(`
name: own
versions: [{version: "2.1", with: {agent: v7}}]
install:
  namespace: own
  before:
    - {inline: "{apiVersion: v1, kind: Secret, metadata: {name: key}, stringData: {key: '${randomKey}'}}"}
    - {for: "< 2", inline: "{apiVersion: v1, kind: Secret, metadata: {name: old}}"}
  inline: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: config}
    data: {api: "https://${apiHost}:${apiPort}", mtu: "0", shell: "${HOME}", list: "net=10.0.0.0/8;"}
  edits:
    - {kind: ConfigMap, name: config, path: [data, mtu], set: "${linkMTU-50}", why: a test}
    - {kind: ConfigMap, name: config, path: [data, list], replace: 10.0.0.0/8, with: "${podCIDR}"}
    - {kind: ConfigMap, name: config, path: [metadata, finalizers], append: "own/${agent}"}
variants:
  own: {title: ours}
`), "own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Entry("own", Choice{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := render(t, e, charts.First{}), render(t, e, charts.First{})
	if first.Digest != second.Digest {
		t.Error("a random key changes the digest")
	}
	key := regexp.MustCompile(`key: ([0-9a-f]{40})\n`)
	a, b := key.FindSubmatch(first.YAML), key.FindSubmatch(second.YAML)
	if a == nil || b == nil || string(a[1]) == string(b[1]) || string(a[1]) == fixedKey {
		t.Errorf("two installations have the keys %q and %q", a, b)
	}
	golden(t, "own.yaml", key.ReplaceAllString(string(first.YAML), "key: KEY\n"))
}

func TestEditRefuses(t *testing.T) {
	for _, tt := range []struct{ name, edit, want string }{
		{"object that is not there", "{kind: Secret, name: c, path: [data], set: x}", "an edit is for Secret c, which the manifests do not have"},
		{"element that is not there", "{kind: ConfigMap, name: c, path: [items, '3'], set: x}", "there is no element 3 in a list of 1"},
		{"text that is not there", "{kind: ConfigMap, name: c, path: [data, a], replace: q, with: x}", `the text "q" is not there`},
		{"nothing to replace in", "{kind: ConfigMap, name: c, path: [data, b, c], replace: y, with: x}", "there is no c"},
		{"list that is text", "{kind: ConfigMap, name: c, path: [data, a], append: x}", "it is no list"},
		{"key of text", "{kind: ConfigMap, name: c, path: [data, a, b], set: x}", "b is in neither a table nor a list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := empty()
			err := c.add("own.yaml", []byte("name: own\nversions: [{version: '1.0'}]\ninstall:\n  namespace: own\n  inline: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: plain}, items: [1]}'\n  edits: ["+tt.edit+"]\nvariants: {own: {title: ours}}\n"), "own.yaml")
			if err != nil {
				t.Fatal(err)
			}
			e, err := c.Entry("own", Choice{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.Render(context.Background(), charts.First{}, site); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// moduleChart finds an upstream chart where Go keeps modules. Whoever has built
// a lab has those of the lab's versions.
func moduleChart(t *testing.T, module, chart string) charts.Kit {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("no Go to ask for its modules: ", err)
	}
	dir := filepath.Join(strings.TrimSpace(string(out)), module, chart)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the chart is not at hand: ", err)
	}
	return charts.Kit{chart: dir}
}

// upstream are the charts that come as Go modules, by version of the plugin.
var upstream = []struct{ plugin, version, module, chart string }{
	{"flannel", "v0.28.4", "github.com/flannel-io/flannel@v0.28.4", "chart/kube-flannel"},
	{"flannel", "v0.28.10", "github.com/flannel-io/flannel@v0.28.10", "chart/kube-flannel"},
	{"flannel", "v0.28.9", "github.com/flannel-io/flannel@v0.28.9", "chart/kube-flannel"},
	{"cilium", "1.15.19", "github.com/cilium/cilium@v1.15.19", "install/kubernetes/cilium"},
	{"cilium", "1.20.2", "github.com/cilium/cilium@v1.20.2", "install/kubernetes/cilium"},
	{"kube-ovn", "v1.16.2", "github.com/kubeovn/kube-ovn@v1.16.2", "charts/kube-ovn"},
}

// Upstream's charts take every variant's values, give the same bytes every
// time, and have what the catalog waits for, where, with the labels that it
// looks for.
func TestUpstreamCharts(t *testing.T) {
	c := builtinCatalog(t)
	for _, u := range upstream {
		for _, name := range c.Names() {
			e, err := c.Entry(name, Choice{Version: u.version})
			if err != nil || e.Plugin.Name != u.plugin {
				continue
			}
			t.Run(name+"@"+u.version, func(t *testing.T) {
				m := render(t, e, moduleChart(t, u.module, u.chart))
				golden(t, filepath.Join("digests", name+"@"+u.version), m.Digest+"\n")
				if e.Verified == "" {
					t.Error("it renders, but the catalog says that nobody has rendered it")
				}
				checkAgents(t, e, m)
			})
		}
	}
}

func checkAgents(t *testing.T, e Entry, m Manifests) {
	t.Helper()
	objects, err := cluster.Decode(m.YAML)
	if err != nil {
		t.Fatal(err)
	}
	for kind, names := range map[string][]string{"DaemonSet": e.Ready.DaemonSets, "Deployment": e.Ready.Deployments} {
		for _, name := range names {
			o := find(t, objects, kind, name)
			if o == nil {
				continue
			}
			if o.GetNamespace() != e.Install.Namespace {
				t.Errorf("%s runs in %s", name, o.GetNamespace())
			}
			l, _, _ := unstructured.NestedStringMap(o.Object, "spec", "template", "metadata", "labels")
			matched := false
			for _, a := range e.Agents {
				selector, err := labels.Parse(a.Selector)
				if err != nil {
					t.Fatal(err)
				}
				matched = matched || selector.Matches(labels.Set(l))
			}
			if !matched {
				t.Errorf("no selector of the agents finds the pods of %s, which have the labels %v", name, l)
			}
		}
	}
}

func find(t *testing.T, objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, o := range objects {
		if o.GetKind() == kind && o.GetName() == name {
			return o
		}
	}
	t.Errorf("the chart has no %s %s", kind, name)
	return nil
}
