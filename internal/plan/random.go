package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// generator draws the random orders of a plan. Only the raw numbers come from
// math/rand/v2, whose PCG is fixed by its specification; how they are used is
// written out here, so that no release of Go changes the plan of an old seed.
type generator struct {
	source *rand.PCG
}

// newGenerator seeds a stream of its own for every purpose. Hashing keeps the
// streams of neighbouring seeds unrelated.
func newGenerator(seed uint64, purpose string) generator {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", purpose, seed))
	return generator{rand.NewPCG(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))}
}

// below returns a number from 0 to n−1, all equally likely: the numbers below
// 2⁶⁴ mod n are drawn again, as they would favour the small results.
func (g generator) below(n int) int {
	m := uint64(n)
	for excess := -m % m; ; {
		if x := g.source.Uint64(); x >= excess {
			return int(x % m)
		}
	}
}

// permutation returns 0 to n−1 in random order (Fisher and Yates' shuffle).
func (g generator) permutation(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := g.below(i + 1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
