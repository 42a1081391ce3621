package plan_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/plan"
)

// The first, and 9, 45 and 150, are the examples of the methodology.
func TestLeastBlocks(t *testing.T) {
	for _, tt := range []struct{ family, want int }{{1, 6}, {0, 6}, {2, 7}, {9, 9}, {12, 9}, {13, 10}, {45, 11}, {150, 13}} {
		if got := plan.LeastBlocks(tt.family); got != tt.want {
			t.Errorf("family of %d: %d blocks, want %d", tt.family, got, tt.want)
		}
	}
}

// Several looks are decided at 0.02; a single one chooses nothing.
func TestLeastBlocksWithLooks(t *testing.T) {
	for _, tt := range []struct {
		looks []int
		want  int
	}{{[]int{10}, 10}, {[]int{10, 15}, 11}} {
		p := plan.Plan{Variants: make([]plan.Variant, 22), Stop: &plan.Stop{Looks: tt.looks, HalfWidth: 0.02}}
		p.Analysis.Primary = []string{"a/b"}
		if got := p.LeastBlocks(); got != tt.want {
			t.Errorf("21 comparisons, looks %v: %d blocks, want %d", tt.looks, got, tt.want)
		}
	}
}

// The twin is measured, and claims nothing.
func TestTheTwinIsOutsideTheFamily(t *testing.T) {
	const spec = "  variants: [host, flannel-vxlan, cilium-kpr]\n  scenarios: [tcp-pod-single]\n  analysis: {aa: "
	for _, of := range []string{"host", "cilium-kpr"} {
		p := expand(t, document(spec+of+"}\n"))
		if got := p.Family(); got != 2 || len(p.Variants) != 4 || !p.IsTwin(of+"-aa") || p.IsTwin(of) {
			t.Errorf("twin of %s: family of %d, %d variants, AA %+v", of, got, len(p.Variants), p.Analysis.AA)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name, variants, scenarios string
		blocks                    int
		want                      []string
	}{
		{"enough", "[host, flannel-vxlan]", "[tcp-pod-single]", 6, nil},
		{"enough for two", "[host, flannel-vxlan, cilium-kpr]", "[tcp-pod-single]", 7, nil},
		{
			"one comparison", "[host, flannel-vxlan]", "[tcp-pod-single]", 5,
			[]string{"5 blocks cannot reach any verdict: 6 blocks are the least for 1 comparison " +
				"(1 primary metric, 1 variant against host); add blocks, or name fewer metrics in analysis.primary"},
		},
		{
			"family", "[flannel-vxlan, flannel-host-gw, cilium-kpr]", "[tcp-pod-single, {name: tcp-service-multi, streams: [1, 2]}]", 1,
			[]string{"1 block cannot reach any verdict: 8 blocks are the least for 6 comparisons " +
				"(3 primary metrics, 2 variants against flannel-vxlan); add blocks, or name fewer metrics in analysis.primary"},
		},
		{
			"one variant", "[host]", "[tcp-pod-single]", 10,
			[]string{"there is nothing to compare: a verdict needs at least two variants"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := expand(t, document(fmt.Sprintf("  variants: %s\n  scenarios: %s\n  blocks: %d\n", tt.variants, tt.scenarios, tt.blocks)))
			if diff := cmp.Diff(tt.want, plan.Warnings(p)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A look that is too early for a verdict is said; the plan itself is sound.
func TestWarningOfAnEarlyLook(t *testing.T) {
	spec := "  variants: [host, flannel-vxlan, flannel-host-gw]\n  scenarios: [{name: tcp-service-multi, streams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}]\n  stop: {halfWidth: 2%}\n"
	p := expand(t, document(spec))
	want := []string{"should it stop after 10 blocks, no verdict can be reached: 11 blocks are the least for 22 comparisons " +
		"(11 primary metrics, 2 variants against host); look later, or name fewer metrics in analysis.primary"}
	if diff := cmp.Diff(want, plan.Warnings(p)); diff != "" || p.Undecidable() != "" {
		t.Errorf("undecidable %q, warnings (-want +got):\n%s", p.Undecidable(), diff)
	}
}
