package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func names(k int) []string {
	all := make([]string, k)
	for i := range all {
		all[i] = fmt.Sprintf("v%d", i)
	}
	return all
}

type design struct {
	names  []string
	orders [][]string
}

func drawDesign(t *rapid.T) design {
	all := names(rapid.IntRange(1, 12).Draw(t, "names"))
	n := rapid.IntRange(1, 50).Draw(t, "orders")
	return design{all, balancedOrders(all, n, newGenerator(rapid.Uint64().Draw(t, "seed"), "test"))}
}

func TestEveryOrderIsAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		for _, order := range d.orders {
			sorted := slices.Sorted(slices.Values(order))
			if diff := cmp.Diff(slices.Sorted(slices.Values(d.names)), sorted); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

// However many blocks there are, a position sees every variant equally often,
// give or take one.
func TestPositionsAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		for position := range d.names {
			counts := map[string]int{}
			for _, order := range d.orders {
				counts[order[position]]++
			}
			if s := spread(d.names, func(n string) int { return counts[n] }); s > 1 {
				t.Fatalf("position %d: counts differ by %d: %v", position, s, counts)
			}
		}
	})
}

// Whole cycles have every variant follow every other equally often; a part of
// one is off by no more than one, or two for an odd number of variants.
func TestNeighboursAreBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDesign(t)
		cycle := len(d.names) * (1 + len(d.names)%2)
		whole := len(d.orders) / cycle * cycle
		if s := neighbourSpread(d.names, d.orders[:whole]); s != 0 {
			t.Errorf("whole cycles: counts differ by %d", s)
		}
		if s := neighbourSpread(d.names, d.orders); s > 1+len(d.names)%2 {
			t.Errorf("counts differ by %d", s)
		}
	})
}

// neighbourSpread counts how often each name directly follows each other one.
func neighbourSpread(names []string, orders [][]string) int {
	type pair struct{ before, after string }
	counts := map[pair]int{}
	for _, order := range orders {
		for i := 1; i < len(order); i++ {
			counts[pair{order[i-1], order[i]}]++
		}
	}
	var pairs []pair
	for _, a := range names {
		for _, b := range names {
			if a != b {
				pairs = append(pairs, pair{a, b})
			}
		}
	}
	return spread(pairs, func(p pair) int { return counts[p] })
}

// spread is the largest minus the smallest count, 0 when there is none.
func spread[T any](all []T, count func(T) int) int {
	if len(all) == 0 {
		return 0
	}
	least, most := count(all[0]), count(all[0])
	for _, x := range all {
		least, most = min(least, count(x)), max(most, count(x))
	}
	return most - least
}

// Of the six orders of three variants, each comes first equally often over
// many seeds: 1000 of 6000 expected, standard deviation 29.
func TestFirstOrderIsUniformOverSeeds(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(6000) {
		counts[fmt.Sprint(balancedOrders(names(3), 1, newGenerator(seed, "test"))[0])]++
	}
	if len(counts) != 6 {
		t.Fatalf("%d different orders, want 6", len(counts))
	}
	for order, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("%s: %d times of 6000", order, n)
		}
	}
}

// These orders are fixed for ever.
func TestOrdersOfSeedOne(t *testing.T) {
	got := balancedOrders([]string{"a", "b", "c", "d"}, 4, newGenerator(1, "variants"))
	want := [][]string{
		{"b", "a", "c", "d"},
		{"d", "c", "a", "b"},
		{"c", "b", "d", "a"},
		{"a", "d", "b", "c"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
