package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// tunnelled is a variant on two of three nodes that share a kernel, with a
// tunnel between them.
func tunnelled() result.Variant {
	return result.Variant{
		LoadNodes: []string{"node1", "node2"},
		Nodes:     []result.Node{{Name: "node1", Address: "198.18.0.11"}, {Name: "node2", Address: "198.18.0.12"}, {Name: "node3"}},
		Kernels:   []result.Kernel{{Nodes: []string{"node1", "node2", "node3"}, Facts: result.Facts{Values: map[string]string{"kernel.release": "6.18.5"}}}},
		Path: []result.Hop{
			{Place: "client pod", Link: "eth0", MTU: 1450}, {Place: "client node", Link: "tunnel flannel.1", MTU: 1450}, {Place: "client node", Link: "uplink", MTU: 1500},
			{Place: "server node", Link: "uplink", MTU: 1500}, {Place: "server pod", Link: "eth0", MTU: 1450}, {Place: "path", MTU: 1450},
		},
	}
}

func TestTopologyInWords(t *testing.T) {
	same := tunnelled()
	same.LoadNodes, same.Kernels = []string{"node1"}, nil
	same.Path = []result.Hop{{Place: "client pod", Link: "eth0", MTU: 1450}, {Place: "server pod", Link: "eth0", MTU: 1450}}
	early := result.Variant{LoadNodes: []string{"a", "b"}, Nodes: []result.Node{{Name: "a"}, {Name: "b"}}}
	tests := []struct {
		name string
		v    result.Variant
		want string
	}{
		{"a tunnel", tunnelled(), "client on node1 (198.18.0.11), from the pod outwards: eth0 MTU 1450, tunnel flannel.1 MTU 1450, uplink MTU 1500; " +
			"server on node2 (198.18.0.12), from the pod outwards: eth0 MTU 1450, uplink MTU 1500; path MTU 1450; one kernel 6.18.5; without load: node3"},
		{"one node", same, "client on node1 (198.18.0.11), from the pod outwards: eth0 MTU 1450; server on node1 (198.18.0.11), from the pod outwards: eth0 MTU 1450; " +
			"both on one node, nothing crosses a link between nodes; without load: node2, node3"},
		{"results without links", early, "client on a; server on b; the links between them were not recorded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, ok := newLayout(test.v)
			if !ok {
				t.Fatal("there is nothing to draw")
			}
			if diff := cmp.Diff(test.want, l.words()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			drawing := string(l.draw())
			for _, h := range test.v.Path {
				if h.Link != "" && !strings.Contains(drawing, h.Link+"</text>") {
					t.Errorf("%s is not drawn", h.Link)
				}
			}
			if regexp.MustCompile(`="-|NaN`).MatchString(drawing) {
				t.Errorf("something lies outside of the drawing: %s", drawing)
			}
		})
	}
	if _, ok := newLayout(result.Variant{Nodes: []result.Node{{Name: "a"}}}); ok {
		t.Error("nobody knows where load ran, and it is drawn")
	}
}

// Long and hostile names are cut in the drawing, and whole in its words.
func TestTopologyEscapesNames(t *testing.T) {
	v := tunnelled()
	v.LoadNodes[0] = strings.Repeat("x", 190) + "<b>&"
	l, _ := newLayout(v)
	drawing := string(l.draw())
	if strings.Contains(drawing, "<b>") || !strings.Contains(drawing, "…</text>") || !strings.Contains(drawing, "x&lt;b&gt;&amp;") {
		t.Errorf("the drawing has it wrong: %s", drawing)
	}
}

// Variants with the same topology share a drawing; one whose environment is
// not known has none.
func TestTopologiesAreDrawnOnce(t *testing.T) {
	s := campaignOf(t, 3, 2, func(*result.Trial) {})
	factsOfTwo(s.Environment)
	delete(s.Environment.Variants, "flannel-vxlan")
	drawn, unknown := topologies(s.Analysis, s.Environment)
	if len(drawn) != 1 || !cmp.Equal(drawn[0].Variants, []string{"host", "flannel-host-gw"}) || !cmp.Equal(unknown, []string{"flannel-vxlan"}) {
		t.Errorf("drawn %v, unknown %v", drawn, unknown)
	}
	differ, compared := nodeDifferences(s.Analysis, s.Environment)
	if !compared || len(differ) != 1 || len(differ[0].Variants) != 2 || differ[0].Facts[0] != (fact{"cpu.governor", "node-1: performance; node-2: powersave"}) {
		t.Errorf("differences: %v", differ)
	}
	if differ, compared := nodeDifferences(s.Analysis, result.Environment{}); compared || len(differ) > 0 {
		t.Errorf("nothing is known, and it is compared: %v", differ)
	}
}
