package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// governors of two speeds
const fast, slow = "performance", "powersave"

// twoNodes is a variant on two nodes with kernels of their own.
func twoNodes(governorB string, foreign ...string) result.Variant {
	facts := func(pairs ...string) result.Facts {
		f := result.Facts{Values: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			f.Values[pairs[i]] = pairs[i+1]
		}
		return f
	}
	return result.Variant{
		LoadNodes: []string{"a", "b"},
		Kernels: []result.Kernel{
			{Nodes: []string{"a"}, Facts: facts("cpu.governor", fast)}, {Nodes: []string{"b"}, Facts: facts("cpu.governor", governorB)},
			{Nodes: []string{"c"}, Facts: facts("cpu.governor", "of a node without load")},
		},
		Nodes: []result.Node{{Name: "a", Facts: facts(foreign...)}, {Name: "b", Facts: facts("foreign", "none")}, {Name: "c", Facts: facts("foreign.x/Pod y", "1 pod without requests")}},
	}
}

func TestFactWarnings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants map[string]result.Variant
		want     []string
	}{
		{"alike", map[string]result.Variant{"x": twoNodes(fast), "y": twoNodes(fast)}, nil},
		{"nothing known", map[string]result.Variant{"x": {}, "y": twoNodes(fast)}, nil},
		{"ends that differ always", map[string]result.Variant{"x": twoNodes(slow), "y": twoNodes(slow)},
			[]string{"nodes-differ: nodes a and b differ in cpu.governor (performance; powersave)"}},
		{"a node that changed", map[string]result.Variant{"x": twoNodes(fast), "y": twoNodes(slow)}, []string{
			"nodes-differ: nodes a and b differ in cpu.governor (performance; powersave) with y",
			"environment-differs: cpu.governor of b differs: performance (x); powersave (y)",
		}},
		{"others", map[string]result.Variant{"x": twoNodes(fast, "foreign.shop/Deployment web", "2 pods, requests CPU 1", "foreign.logs/DaemonSet d", "1 pod without requests")},
			[]string{"foreign-workloads: other workloads ran on the nodes that carried load: shop/Deployment web on a (2 pods, requests CPU 1)"}},
		{"very different ends", map[string]result.Variant{"x": {LoadNodes: []string{"a", "b"}, Nodes: []result.Node{
			{Name: "a", Facts: result.Facts{Values: map[string]string{"1": "x", "2": "x", "3": "x", "4": "x", "5": "x", "6": "x"}}}, {Name: "b"},
		}}}, []string{"nodes-differ: nodes a and b differ in 1 (x; none), 2 (x; none), 3 (x; none), 4 (x; none), 2 more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, w := range factWarnings(result.Environment{Variants: tt.variants}) {
				if w.Hint == "" {
					t.Errorf("%s has no hint", w.Code)
				}
				got = append(got, w.Code+": "+w.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
