package cost

import (
	"math"
	"strings"
	"testing"
)

// noisy gives n lines around one, that differ as little as is asked for.
func noisy(l Line, n int, noise float64) []Line {
	var lines []Line
	for i := range n {
		lines = append(lines, Line{l.Fixed + noise*float64(i-n/2), l.PerNode, l.PerRequest})
	}
	return lines
}

func inBlocks(lines []Line) []blockLine {
	var list []blockLine
	for i, l := range lines {
		list = append(list, blockLine{block: i + 1, line: l})
	}
	return list
}

func TestBreakEven(t *testing.T) {
	p := Default()
	for _, tt := range []struct {
		name  string
		lines []Line // of a less those of b
		by    string
		loose bool
		want  string
	}{
		{"parallel", noisy(Line{Fixed: 7}, 8, 1), ByNodes, false, "never cross: nothing in which they differ is priced by the node"},
		{"no requests", noisy(Line{PerNode: 7}, 8, 1), ByRequests, false, "never cross: nothing in which they differ is priced by the request"},
		{"always", noisy(Line{Fixed: 10, PerNode: 1}, 8, 1), ByNodes, false, "never cross: b is always cheaper, from 1 node on"},
		// n − 100, give or take 4: 0 at 100 nodes.
		{"cross", noisy(Line{Fixed: -100, PerNode: 1}, 9, 1), ByNodes, false, "a is cheaper up to 97 nodes, b from 103 nodes on (the estimates cross at 100 nodes: above, that of b is lower)"},
		{"from one size on", noisy(Line{Fixed: -1, PerNode: 1}, 9, 100), ByNodes, false, "b is cheaper from"},
		{"few blocks", noisy(Line{Fixed: -100.5, PerNode: 1}, 5, 0), ByNodes, false, "at no size is either shown to be cheaper (the estimates cross at 101 nodes: above, that of b is lower)"},
		{"figures", []Line{{Fixed: -100.5, PerNode: 1}}, ByNodes, true, "a is cheaper below 101 nodes, b from there on, by the figures"},
		{"figures apart", []Line{{Fixed: 1, PerNode: 1}}, ByNodes, true, "never cross: b is always cheaper, from 1 node on, by the figures"},
		{"figures of requests", []Line{{Fixed: -30, PerRequest: 1e-6}}, ByRequests, true, "a is cheaper up to 30 million requests a month, b above, by the figures"},
		{"requests", noisy(Line{Fixed: -100, PerRequest: 1e-6}, 8, 0), ByRequests, false, "a is cheaper up to 100 million requests a month, b from 100 million requests a month on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := p.dimensions(500)[map[string]int{ByNodes: 0, ByRequests: 1}[tt.by]]
			got, err := d.breakEven("a", "b", inBlocks(tt.lines), Line{}, estimator{loose: tt.loose})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Answer, tt.want) {
				t.Errorf("got  %s\nwant %s", got.Answer, tt.want)
			}
		})
	}
}

// The place where estimates are equal is where both cost the same.
func TestCrossingIsWhereCostsAreEqual(t *testing.T) {
	p := Default()
	s := *p.Penalty
	s.Price = 1e7
	p.Penalty = &s
	c := normal(10, "tcp-rr").costs(t, p, Options{})
	for _, b := range c.BreakEvens {
		if b.Variant != "rich" || b.By != ByNodes {
			continue
		}
		if b.Crossing == nil || b.Small != "rich" || b.Large != "lean" || *b.UpTo >= *b.Crossing || *b.From < *b.Crossing {
			t.Fatalf("got %+v", b)
		}
		for _, at := range []struct {
			nodes int
			want  SavingVerdict
		}{{int(*b.UpTo), Saves}, {int(*b.From), CostsMore}, {int(*b.UpTo) + 1, NotShown}, {int(*b.From) - 1, NotShown}} {
			q := p
			q.Nodes = at.nodes
			m := normal(10, "tcp-rr")
			m.variants = []string{"host", "lean", "rich"} // a family of one
			if got := saving(t, m.costs(t, q, Options{}), "rich"); got.Verdict != at.want {
				t.Errorf("with %d nodes rich is %s (%s), want %s: %s", at.nodes, got.Verdict, got.Reason, at.want, b.Answer)
			}
		}
		return
	}
	t.Error("there is no break-even of rich")
}

func TestPlaces(t *testing.T) {
	nodes, requests := Default().dimensions(1)[0], Default().dimensions(1)[1]
	for want, got := range map[string]string{
		"1 node": nodes.place(1), "1,234 nodes": nodes.place(1234),
		"12,300 requests a month": requests.place(12345), "1.23 million requests a month": requests.place(1234567), "2.5 requests a month": requests.place(2.5),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if g := nodes.grid(); g[0] != 1 || g[len(g)-1] != maxNodes {
		t.Errorf("the grid goes from %v to %v", g[0], g[len(g)-1])
	}
	for i, x := range nodes.grid() {
		if x != math.Trunc(x) || i > 0 && x <= nodes.grid()[i-1] {
			t.Errorf("place %d of the grid is %v", i, x)
		}
	}
}
