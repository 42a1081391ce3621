package scenario

import (
	"testing"

	"pgregory.net/rapid"
)

func TestMeshRounds(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 2: 1, 3: 3, 4: 3, 9: 9, 10: 9} {
		if got := len(meshRounds(n)); got != want {
			t.Errorf("%d nodes have %d rounds, want %d", n, got, want)
		}
	}
}

// Every two nodes meet once, nobody is in two pairs of a round, and nobody
// rests more than an odd number of nodes needs.
func TestMeshRoundsPairAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 70).Draw(t, "nodes")
		met := map[[2]int]int{}
		for r, round := range meshRounds(n) {
			busy := map[int]bool{}
			for _, pair := range round {
				if pair[0] >= pair[1] || pair[0] < 0 || pair[1] >= n {
					t.Fatalf("round %d has the pair %v of %d nodes", r, pair, n)
				}
				if busy[pair[0]] || busy[pair[1]] {
					t.Fatalf("round %d uses a node of %v twice", r, pair)
				}
				busy[pair[0]], busy[pair[1]] = true, true
				met[pair]++
			}
			if len(round) != n/2 {
				t.Fatalf("round %d has %d pairs of %d nodes", r, len(round), n)
			}
		}
		if len(met) != n*(n-1)/2 {
			t.Fatalf("%d pairs of %d nodes met", len(met), n)
		}
		for pair, times := range met {
			if times != 1 {
				t.Fatalf("%v met %d times", pair, times)
			}
		}
	})
}
