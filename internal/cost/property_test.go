package cost

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/result"
)

// drawn is a campaign of two variants whose figures are anything, overheads
// below 0 among them.
func drawn(t *rapid.T) made {
	blocks := rapid.IntRange(1, 9).Draw(t, "blocks")
	values := map[string][]float64{}
	for _, v := range []string{"host", "lean"} {
		for _, x := range []result.Metric{p99, busy, working} {
			values[v+x.Name] = rapid.SliceOfN(rapid.Float64Range(1e-3, 1e3), blocks, blocks).Draw(t, v+" "+x.Name)
		}
	}
	return made{cells: []string{"tcp-rr"}, variants: []string{"host", "lean"}, blocks: blocks,
		value: func(_, variant string, x result.Metric, block int) (float64, bool) {
			if x.Name == rate.Name {
				return 1000, true
			}
			return values[variant+x.Name][block-1], true
		}}
}

func drawPrices(t *rapid.T) Prices {
	price := func(name string) float64 { return rapid.Float64Range(0, 1e4).Draw(t, name) }
	return Prices{
		Currency: "EUR", Nodes: rapid.IntRange(1, 1000).Draw(t, "nodes"), Shape: "a", Shapes: []Shape{{"a", price("node"), 4, 8, "made up"}},
		CPU: &Rate{price("vCPU"), "made up"}, Memory: &Rate{price("GiB"), "made up"}, Operations: &Operations{0.1, "made up"},
		Penalty:  &Penalty{price("threshold") / 1e3, price("ms"), rapid.SampledFrom([]Per{ClusterMonth, NodeMonth, MillionRequests}).Draw(t, "per"), "made up"},
		Workload: Workload{Requests: rapid.Float64Range(0, 1e9).Draw(t, "requests")},
	}
}

// scaled multiplies every price.
func scaled(p Prices, by float64) Prices {
	s := *p.Penalty
	s.Price *= by
	p.Shapes = []Shape{{"a", p.Shapes[0].Price * by, 4, 8, "made up"}}
	p.CPU, p.Memory, p.Penalty = &Rate{p.CPU.Price * by, ""}, &Rate{p.Memory.Price * by, ""}, &s
	return p
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(math.Abs(a)+math.Abs(b))+1e-6 }

// Sums are linear in prices; prices of 0 give 0.
func TestSumsAreLinearInPrices(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m, p := drawn(rt), drawPrices(rt)
		by := rapid.SampledFrom([]float64{0, 0.5, 1, 2, 1000}).Draw(rt, "factor")
		one, other := m.costs(t, p, Options{}), m.costs(t, scaled(p, by), Options{})
		for i, v := range one.Variants {
			w := other.Variants[i]
			if (v.Total == nil) != (w.Total == nil) || !close(w.Total.Value, by*v.Total.Value) {
				rt.Errorf("%s: %v at prices × %v, %v before", v.Name, w.Total, by, v.Total)
			}
			for j, term := range v.Terms {
				if term.Amount != nil && !close(w.Terms[j].Amount.Value, by*term.Amount.Value) {
					rt.Errorf("%s: %s is %v, was %v", v.Name, term.Name, w.Terms[j].Amount.Value, term.Amount.Value)
				}
			}
		}
	})
}

// Within a block the terms add up to the sum, and the sum is linear in the
// number of nodes: what it grows by is the same from n to n + 1 as from 1 to 2.
func TestSumsAreLinearInNodes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m, p := drawn(rt), drawPrices(rt)
		at := func(nodes int) []Block {
			q := p
			q.Nodes = nodes
			return m.costs(t, q, Options{}).Variants[1].Blocks
		}
		one, two, three := at(1), at(2), at(7)
		for i := range one {
			if want := one[i].Total + 6*(two[i].Total-one[i].Total); math.Abs(three[i].Total-want) > 1e-6*(1+math.Abs(want)+math.Abs(one[i].Total)) {
				rt.Errorf("block %d: 7 nodes cost %v, want %v", one[i].Block, three[i].Total, want)
			}
		}
	})
}

// An overhead below 0 is a cost below 0, and shown.
func TestNegativeOverheadsAreShown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawn(rt)
		value := m.value
		m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
			if x.Name == busy.Name {
				return map[string]float64{"host": 2, "lean": 1.5}[v], true
			}
			return value(cell, v, x, block)
		}
		cpu := termOf(t, m.costs(t, Default(), Options{}).Variants[1], CPUTerm)
		if !close(cpu.Amount.Value, -0.25*30*500) {
			rt.Errorf("CPU is %+v", cpu)
		}
	})
}

// No number that is written is infinite or NaN, whatever was measured: JSON
// has none.
func TestCostsCanBeWritten(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m, p := drawn(rt), drawPrices(rt)
		huge := rapid.SampledFrom([]float64{1, 1e140, 1e-140}).Draw(rt, "scale")
		value := m.value
		m.value = func(cell, v string, x result.Metric, block int) (float64, bool) {
			f, ok := value(cell, v, x, block)
			return f * huge, ok
		}
		c := m.costs(t, p, Options{})
		for name, write := range writers {
			if text := written(t, write, c); text == "" {
				rt.Errorf("%s is empty", name)
			}
		}
	})
}
