package cost

import (
	"math"
	"os"
	"slices"
	"testing"
)

// article are the figures that the article's own table has, put through its
// own formula: what it prints does not follow from it.
var article = []struct {
	title                                          string
	total, nodes, cpu, memory, penalty, operations float64
	printed                                        float64 // $ a month in its table
}{
	{"cilium 1.17", 240705.39, 200000, 19680, 1025.39, 0, 20000, 18200},
	{"calico-iptables 3.29", 252143.96, 200000, 30480, 1660.16, 3.80, 20000, 22100},
	{"calico-ebpf 3.29", 244887.19, 200000, 23520, 1367.19, 0, 20000, 19800},
	{"flannel 0.25", 232837.14, 200000, 12240, 585.94, 11.20, 20000, 14500},
}

func articleCosts(t testing.TB, p Prices) Costs {
	t.Helper()
	data, err := os.ReadFile("testdata/article.json")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := ParseEntries("article.json", data)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Figures("article.json", entries, p, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func cents(x float64) float64 { return math.Round(100*x) / 100 }

func termOf(t testing.TB, v Variant, name string) Term {
	t.Helper()
	i := slices.IndexFunc(v.Terms, func(t Term) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("%s has no term %s", v.Name, name)
	}
	return v.Terms[i]
}

func TestArticleByItsOwnFormula(t *testing.T) {
	c := articleCosts(t, Default())
	for i, want := range article {
		v := c.Variants[i]
		if v.Name != want.title || cents(v.Total.Value) != want.total || v.Total.Interval != nil {
			t.Errorf("%s costs %+v, want %s with %v and no interval", v.Name, v.Total, want.title, want.total)
		}
		for name, amount := range map[string]float64{
			NodesTerm: want.nodes, CPUTerm: want.cpu, MemoryTerm: want.memory, PenaltyTerm: want.penalty, OperationsTerm: want.operations,
		} {
			if got := termOf(t, v, name).Amount.Value; cents(got) != amount {
				t.Errorf("%s: %s is %v, want %v", v.Name, name, got, amount)
			}
		}
	}
}

// What the article prints is not what its formula gives: not one figure of its
// table, though the order is the same. The price of the nodes alone exceeds
// each.
func TestPrintedFiguresDoNotFollow(t *testing.T) {
	c := articleCosts(t, Default())
	byFormula, byTable := []float64{}, []float64{}
	for i, a := range article {
		v := c.Variants[i]
		if math.Abs(v.Total.Value-a.printed) < 0.5*v.Total.Value {
			t.Errorf("%s: %v by the formula is near the printed %v", v.Name, v.Total.Value, a.printed)
		}
		if nodes := termOf(t, v, NodesTerm).Amount.Value; nodes <= a.printed {
			t.Errorf("%s: the nodes cost %v, no more than the printed %v", v.Name, nodes, a.printed)
		}
		byFormula, byTable = append(byFormula, v.Total.Value), append(byTable, a.printed)
	}
	if order(byFormula) != order(byTable) {
		t.Errorf("the order by the formula is %v, in the table %v", order(byFormula), order(byTable))
	}
}

func order(xs []float64) [4]int {
	places := [4]int{0, 1, 2, 3}
	slices.SortFunc(places[:], func(a, b int) int { return int(xs[a] - xs[b]) })
	return places
}

// Other statements of the article, by its formula.
func TestArticleInWords(t *testing.T) {
	penalty := func(micros float64) float64 {
		c, err := Figures("made-up", []Entry{{Name: "x", Latency: micros, Throughput: 1, Nodes: 500}}, Default(), "")
		if err != nil {
			t.Fatal(err)
		}
		return termOf(t, c.Variants[0], PenaltyTerm).Amount.Value
	}
	if got := cents(penalty(210)); got != 1 {
		t.Errorf("a p99 of 210 µs costs %v a month, not 1", got) // the article: 18,000
	}
	// 12 ms more than the threshold, for a year; the article: up to 2.1 million.
	if got := math.Round(12 * penalty(12200)); got != 14400 {
		t.Errorf("12 ms cost %v a year, not 14,400", got)
	}
	// "Saves $14k a month": nothing in its table is so far apart.
	c := articleCosts(t, Default())
	for _, s := range c.Savings {
		if s.Verdict != Untested || s.P != nil {
			t.Errorf("%s: a figure without an interval is %s, %v", s.Variant, s.Verdict, s.P)
		}
		if s.Against != "flannel 0.25" || s.Estimate.Value >= 0 {
			t.Errorf("%s saves %v against %s: flannel costs least", s.Variant, s.Estimate.Value, s.Against)
		}
	}
}

func TestFiguresWithoutFlannel(t *testing.T) {
	entries := []Entry{
		{Name: "cilium", Version: "1.17", Latency: 147, Throughput: 47.2, CPU: 8.2, Memory: 210, Nodes: 500},
		{Name: "calico", Version: "3.29", Latency: 186, Throughput: 43.5, CPU: 9.8, Memory: 280, Nodes: 500},
	}
	for _, tt := range []struct{ against, want string }{{"", "cilium 1.17"}, {"calico", "calico 3.29"}, {"calico 3.29", "calico 3.29"}} {
		c, err := Figures("made-up", entries, Default(), tt.against)
		if err != nil || c.Against != tt.want || len(c.Savings) != 1 {
			t.Errorf("--against %q is against %q with %d savings, %v", tt.against, c.Against, len(c.Savings), err)
		}
	}
	if _, err := Figures("made-up", entries, Default(), "calcio"); err == nil || err.(*OptionError).Hint() != `--against: did you mean "calico"?` {
		t.Errorf("got %v", err)
	}
	if c, err := Figures("made-up", entries[:1], Default(), ""); err != nil || c.Against != "" || len(c.Savings) != 0 {
		t.Errorf("one entry is compared with %q, %v", c.Against, err)
	}
	entries[1].Nodes = 300
	c, err := Figures("made-up", entries, Default(), "")
	if err != nil || c.Savings[0].Verdict != NotCompared || len(c.BreakEvens) != 0 {
		t.Errorf("clusters of two sizes are compared: %+v, %v", c.Savings, err)
	}
}
