package supply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/lab/supply/tree"
)

func TestAllPackages(t *testing.T) {
	sets := []packageSet{{Packages: []string{"runc", "dash"}}, {Packages: []string{"dash", "bash"}}}
	if diff := cmp.Diff([]string{"bash", "dash", "runc"}, allPackages(sets)); diff != "" {
		t.Error(diff)
	}
}

// TestImagesHaveTheirLayers: every package set but the node's is the layer of
// an image of that name.
func TestImagesHaveTheirLayers(t *testing.T) {
	p := mustPlan(t, t.TempDir(), standIns(), Parts()...)
	images := map[string]bool{}
	recipes, sets := p.imageRecipes(), p.sets
	for _, part := range p.parts {
		recipes, sets = append(recipes, part.images()...), append(sets, part.sets...)
	}
	for _, r := range recipes {
		images[r.Name] = true
	}
	for _, set := range sets {
		if set.Name != nodeSet && !images[set.Name] {
			t.Errorf("no image uses the packages of %s", set.Name)
		}
	}
}

func TestFurnishNode(t *testing.T) {
	out := tree.New()
	if err := furnishNode(out); err == nil || !strings.Contains(err.Error(), "plugins") {
		t.Errorf("a node without CNI plugins was accepted: %v", err)
	}
	out = tree.New()
	if err := out.AddData("usr/lib/cni/bridge", 0o755, "plugin"); err != nil {
		t.Fatal(err)
	}
	if err := furnishNode(out); err != nil {
		t.Fatal(err)
	}
	if e, ok := out.Resolve("/opt/cni/bin/bridge"); !ok || e.Path != "usr/lib/cni/bridge" {
		t.Errorf("the plugin is at %+v, %v", e, ok)
	}
}

func TestLabelsTellTheTruth(t *testing.T) {
	got := labels("github.com/flannel-io/flannel", "v0.28.4", []string{"github.com/flannel-io/flannel v0.28.4"}, []string{"iptables 1.8.9", "nftables 1.0.6"})
	want := map[string]string{
		"org.opencontainers.image.source":  "https://github.com/flannel-io/flannel",
		"org.opencontainers.image.version": "v0.28.4",
		"org.opencontainers.image.vendor":  "cnibench",
		"io.cnibench.composed": "from Go module github.com/flannel-io/flannel v0.28.4" +
			" and Debian packages iptables 1.8.9, nftables 1.0.6",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
