package plan

import "slices"

// balancedOrders returns n orders of the names, from rows of Williams' Latin
// squares (Williams, Aust. J. Sci. Res. A 2 (1949) 149). With k names, every k
// orders have each name once in each position. Each name directly follows each
// other one equally often: once in every k orders where k is even, twice in
// every 2k where k is odd, as the square then needs its mirror image. Within a
// cycle these counts differ by at most one, or two where k is odd. For every
// cycle the names take their places in the square at random, and the rows of a
// square come in random order.
func balancedOrders(names []string, n int, random generator) [][]string {
	k := len(names)
	first := williamsRow(k)
	var orders [][]string
	for len(orders) < n {
		place := random.permutation(k)
		mirrored := random.below(2) == 1
		for range 1 + k%2 { // an odd k needs the mirror image too
			for _, shift := range random.permutation(k) {
				orders = append(orders, row(names, place, first, shift, mirrored))
			}
			mirrored = !mirrored
		}
	}
	return orders[:n]
}

// williamsRow is the first row of the square: 0, 1, k−1, 2, k−2, … The other
// rows are it plus 1, 2, … k−1, modulo k.
func williamsRow(k int) []int {
	r := make([]int, k)
	for i := range r {
		if i%2 == 1 {
			r[i] = (i + 1) / 2
		} else {
			r[i] = (k - i/2) % k
		}
	}
	return r
}

func row(names []string, place, first []int, shift int, mirrored bool) []string {
	order := make([]string, len(names))
	for i, column := range first {
		order[i] = names[place[(column+shift)%len(names)]]
	}
	if mirrored {
		slices.Reverse(order)
	}
	return order
}
