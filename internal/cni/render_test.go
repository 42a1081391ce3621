package cni

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cnibench/cnibench/internal/cluster"
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

func entry(t *testing.T, name string) Entry {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	e, ok := c.Entry(name)
	if !ok {
		t.Fatalf("the catalog has no %s", name)
	}
	return e
}

func render(t *testing.T, e Entry, chart string) Manifests {
	t.Helper()
	m, err := e.Render(chart, "10.244.0.0/16")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRender(t *testing.T) {
	e := entry(t, "flannel-vxlan")
	before := fmt.Sprintf("%+v", e)
	first := render(t, e, "testdata/kube-flannel")
	golden(t, "flannel-vxlan.yaml", string(first.YAML))
	if diff := cmp.Diff(first, render(t, e, "testdata/kube-flannel")); diff != "" {
		t.Errorf("the second time it is different (-first +second):\n%s", diff)
	}
	if after := fmt.Sprintf("%+v", e); after != before {
		t.Errorf("rendering has changed the catalog's entry:\nbefore %s\nafter  %s", before, after)
	}
	if other := render(t, entry(t, "flannel-host-gw"), "testdata/kube-flannel"); other.Digest == first.Digest {
		t.Error("two variants have the same digest")
	}
	objects, err := cluster.Decode(first.YAML)
	if err != nil || len(objects) != 3 || objects[0].GetKind() != "Namespace" {
		t.Errorf("%d objects, %v; want 3, the namespace first", len(objects), err)
	}
}

func TestRenderNothing(t *testing.T) {
	if m, err := entry(t, "host").Render("", "10.244.0.0/16"); err != nil || m.YAML != nil || m.Digest != "" {
		t.Errorf("a variant that installs nothing gives %+v, %v", m, err)
	}
}

func TestRenderRefuses(t *testing.T) {
	for _, tt := range []struct{ name, chart, want string }{
		{"no chart", "", "kube-flannel is not at hand"},
		{"chart that is not there", "testdata/none", "loading chart"},
		{"template that fails", "testdata/broken", "a kind is required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := entry(t, "flannel-vxlan").Render(tt.chart, "10.244.0.0/16")
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "flannel-vxlan") {
				t.Errorf("error %v, want one that names the variant and says %q", err, tt.want)
			}
		})
	}
}

func TestExpandAndCopyTable(t *testing.T) {
	table := map[string]any{"a": "${x}", "b": map[string]any{"c": "${x}", "d": "${x} and more", "e": 1}}
	c := copyTable(table)
	expand(c, map[string]string{"${x}": "y"})
	if diff := cmp.Diff(map[string]any{"a": "y", "b": map[string]any{"c": "y", "d": "${x} and more", "e": 1}}, c); diff != "" {
		t.Errorf("expanded (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"a": "${x}", "b": map[string]any{"c": "${x}", "d": "${x} and more", "e": 1}}, table); diff != "" {
		t.Errorf("the original changed (-before +after):\n%s", diff)
	}
}

// upstreamChart finds Flannel's own chart, of the version of the catalog,
// where Go keeps modules. Whoever has built a lab has it.
func upstreamChart(t *testing.T, e Entry) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("no Go to ask for its modules: ", err)
	}
	chart := filepath.Join(strings.TrimSpace(string(out)), "github.com/flannel-io/flannel@"+e.Plugin.Version, "chart/kube-flannel")
	if _, err := os.Stat(chart); err != nil {
		t.Skip("no lab was built here, so the chart is not at hand: ", err)
	}
	return chart
}

// The catalog knows the upstream chart: what it waits for, where, and by which
// labels it finds the agents.
func TestUpstreamChart(t *testing.T) {
	for variant, backend := range map[string]string{"flannel-vxlan": "vxlan", "flannel-host-gw": "host-gw"} {
		t.Run(variant, func(t *testing.T) {
			e := entry(t, variant)
			m := render(t, e, upstreamChart(t, e))
			golden(t, variant+".digest", m.Digest+"\n")
			objects, err := cluster.Decode(m.YAML)
			if err != nil {
				t.Fatal(err)
			}
			config := find(t, objects, "ConfigMap", "kube-flannel-cfg")
			text, _, _ := unstructured.NestedString(config.Object, "data", "net-conf.json")
			for _, want := range []string{`"10.244.0.0/16"`, `"` + backend + `"`} {
				if !strings.Contains(text, want) {
					t.Errorf("Flannel's configuration lacks %s:\n%s", want, text)
				}
			}
			agents := find(t, objects, "DaemonSet", e.Plugin.Ready.DaemonSets[0])
			if agents.GetNamespace() != e.Plugin.Namespace {
				t.Errorf("the agents run in %s", agents.GetNamespace())
			}
			labels, _, _ := unstructured.NestedStringMap(agents.Object, "spec", "template", "metadata", "labels")
			key, value, _ := strings.Cut(e.Plugin.Agents, "=")
			if labels[key] != value {
				t.Errorf("the agents have the labels %v, the catalog looks for %s", labels, e.Plugin.Agents)
			}
		})
	}
}

func find(t *testing.T, objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	t.Helper()
	for _, o := range objects {
		if o.GetKind() == kind && o.GetName() == name {
			return o
		}
	}
	t.Fatalf("the chart has no %s %s", kind, name)
	return nil
}
