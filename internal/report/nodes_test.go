package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/result"
)

// betweenNodes is a campaign in which all nodes met, in made-up numbers: what
// goes to or from the last one is slow, and the second variant has no value of
// the first node to the second.
func betweenNodes(t *testing.T, nodes ...string) Source {
	t.Helper()
	return campaignOf(t, 3, 8, func(trial *result.Trial) {
		if trial.Status != result.OK {
			return
		}
		for i, from := range nodes {
			for j, to := range nodes {
				if i == j || i == 0 && j == 1 && trial.Variant == "flannel-host-gw" {
					continue
				}
				gbits := 9.2 + 0.013*float64(i) - 0.017*float64(j) + 0.003*float64((trial.Block*5+i+j)%8)
				if max(i, j) == len(nodes)-1 {
					gbits /= 2
				}
				trial.Values = append(trial.Values, result.Value{Value: gbits * 1e9, Metric: result.Metric{
					Name: result.PairName(from, to), Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.05, Group: result.BetweenNodes,
				}})
			}
		}
	})
}

func tenNodes() []string {
	var names []string
	for i := range 10 {
		names = append(names, fmt.Sprintf("node%d", i+1))
	}
	return names
}

// The matrix of ten nodes has every field, in the nodes' natural order, and
// colours those that differ from the rest.
func TestNodeMatrices(t *testing.T) {
	got := nodeMatrices(betweenNodes(t, tenNodes()...).Analysis)
	if len(got) != 2 || len(got[0].Maps) != 3 || got[0].Unit != "Gbit/s" || got[0].Small || got[0].Left {
		t.Fatalf("%+v", got)
	}
	m := got[0].Maps[1] // that lacks a field
	if last := m.Names[9].Name; len(m.Names) != 10 || last != "node10" {
		t.Errorf("rows %v", m.Names)
	}
	svg := string(m.SVG)
	if rects := strings.Count(svg, "<rect"); rects != 100 {
		t.Errorf("%d fields", rects)
	}
	for class, want := range map[string]int{`class="bad3"`: 18, `class="none"`: 11, `class="inside"`: 71} {
		if n := strings.Count(svg, class); n != want {
			t.Errorf("%s %d times, want %d", class, n, want)
		}
	}
	for _, words := range []string{"node1 to node2: not measured", "node1 itself", "node1 to node10: 4.", "Rows send, columns receive"} {
		if !strings.Contains(svg, words) {
			t.Errorf("the map does not say %q", words)
		}
	}
	if p := got[0].Pairs; len(p) != 90 || p[0].From != "node1" || p[0].To != "node2" || p[0].Medians[1] != "–" || p[89].To != "node9" {
		t.Errorf("%d pairs, the first is %+v", len(p), p[0])
	}
}

// A matrix is shown as one, and not also as a list of metrics.
func TestNodeMatrixElsewhere(t *testing.T) {
	s := betweenNodes(t, "node1", "node2", "node3")
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return Text(b, s.Analysis) },
		"Markdown": func(b *bytes.Buffer) error { return Markdown(b, s) },
		"HTML":     func(b *bytes.Buffer) error { return HTML(b, s) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "node1>node2") || strings.Contains(b.String(), "node1&gt;node2") {
			t.Errorf("%s has a pair's metric among the others", name)
		}
		if !strings.Contains(strings.ToLower(b.String()), "between nodes") {
			t.Errorf("%s has no matrix", name)
		}
	}
}

// Pages without a matrix have no section for it.
func TestNoNodeMatrix(t *testing.T) {
	var b bytes.Buffer
	if err := HTML(&b, campaignOf(t, 2, 6, func(*result.Trial) {})); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Between nodes") {
		t.Error("there is a section without a matrix")
	}
}

// Columns have room for short names alone; others are lettered, as their rows
// are. Too many fields are not drawn.
func TestNodeMatrixOfLongNames(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("ip-10-0-0-%d.internal", i+1))
	}
	m, ok := newNodeMatrix(cellOf(names...))
	if !ok || m.columns()[0] != "A" || m.columns()[29] != "AD" {
		t.Fatalf("columns %v", m.columns())
	}
	if drawn := m.draw("host", "x"); drawn.Names[2].Name != "C ip-10-0-0-3.internal" {
		t.Errorf("rows %v", drawn.Names)
	}
	for i := range 40 {
		names = append(names, fmt.Sprintf("more-%d", i))
	}
	got := nodeMatrices(analysis.Analysis{Cells: []analysis.Cell{cellOf(names...)}})
	if len(got[0].Maps) != 0 || len(got[0].Pairs) != tablePairs || !got[0].Left {
		t.Errorf("%d maps and %d pairs of 70 nodes", len(got[0].Maps), len(got[0].Pairs))
	}
}

// cellOf has a value of one variant for every two nodes.
func cellOf(nodes ...string) analysis.Cell {
	var c analysis.Cell
	for _, from := range nodes {
		for _, to := range nodes {
			if from != to {
				c.Metrics = append(c.Metrics, analysis.Metric{
					Metric: result.Metric{Name: result.PairName(from, to), Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Group: result.BetweenNodes},
					Arms:   []analysis.Arm{{Variant: "host", Summary: &analysis.Summary{N: 1, Median: 5e9}}},
				})
			}
		}
	}
	return c
}

func TestNaturally(t *testing.T) {
	names := []string{"node10", "b", "node2", "node1", "node02", "a9z", "a10", "node", "node1-b"}
	slices.SortFunc(names, naturally)
	if got := strings.Join(names, " "); got != "a9z a10 b node node1 node1-b node02 node2 node10" {
		t.Errorf("sorted: %s", got)
	}
}
