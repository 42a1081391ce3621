package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// With a twin, too, every variant has each position equally often, give or
// take one, in any campaign and after any number of its blocks; over whole
// cycles the twin comes before the variant that it repeats as often as after.
func TestPositionsAreBalancedWithATwin(t *testing.T) {
	entries := []string{"host", "flannel-vxlan", "flannel-host-gw", "cilium-kpr", "cilium-vxlan"}
	rapid.Check(t, func(rt *rapid.T) {
		k := rapid.IntRange(1, len(entries)).Draw(rt, "variants")
		of := rapid.SampledFrom(entries[:k]).Draw(rt, "of")
		blocks := rapid.IntRange(1, 60).Draw(rt, "blocks")
		seed := rapid.Uint64().Draw(rt, "seed")
		p := expand(t, document(fmt.Sprintf("  variants: [%s]\n  scenarios: [tcp-pod-single]\n  blocks: %d\n  seed: %d\n  analysis: {aa: %s}\n",
			strings.Join(entries[:k], ", "), blocks, seed, of)))
		if len(p.Variants) != k+1 {
			rt.Fatalf("%d variants, want %d", len(p.Variants), k+1)
		}
		counts := make([]map[string]int, k+1) // by position
		first := 0
		cycle := (k + 1) * (1 + (k+1)%2)
		for i, b := range p.Blocks {
			at := map[string]int{}
			for position, v := range b.Order {
				at[v] = position
				if counts[position] == nil {
					counts[position] = map[string]int{}
				}
				counts[position][v]++
			}
			if len(at) != k+1 {
				rt.Fatalf("block %d: order %v", b.Index, b.Order)
			}
			for position, c := range counts {
				for _, v := range p.Variants {
					if least := (i + 1) / (k + 1); c[v.Name] < least || c[v.Name] > least+1 {
						rt.Fatalf("after %d blocks %s was %d times at position %d", i+1, v.Name, c[v.Name], position)
					}
				}
			}
			if at[of+"-aa"] < at[of] {
				first++
			}
			if n := i + 1; n%cycle == 0 && 2*first != n {
				rt.Fatalf("after %d blocks the twin was %d times before the variant", n, first)
			}
		}
	})
}
