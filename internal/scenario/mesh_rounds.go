package scenario

// meshRounds pairs n nodes, numbered from 0, so that every two meet once, in
// rounds in which none is in two pairs: the circle method of round-robin
// tournaments. The first node stays, all others move on by one place a round,
// and who stands opposite is the partner. An even number of nodes makes n−1
// rounds; an odd one makes n, in each of which another node rests. The lower
// number comes first in a pair.
func meshRounds(n int) [][][2]int {
	if n < 2 {
		return nil
	}
	places := n + n%2 // a place without a node is the rest
	rounds := make([][][2]int, places-1)
	for r := range rounds {
		at := func(place int) int {
			if place == 0 {
				return 0
			}
			return 1 + (place-1+r)%(places-1)
		}
		for i := range places / 2 {
			a, b := at(i), at(places-1-i)
			if a < n && b < n {
				rounds[r] = append(rounds[r], [2]int{min(a, b), max(a, b)})
			}
		}
	}
	return rounds
}
