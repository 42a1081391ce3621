package stats

import (
	"errors"
	"fmt"
	"slices"
)

// maxGroups bounds the groups that are listed. Real comparisons have a few;
// made-up ones could have 3^(n/3).
const maxGroups = 10_000

// Groups returns the groups of members that cannot be told apart over all
// pairs: every set in which no two differ and to which nobody can be added (the
// maximal cliques; as letters they are a compact letter display). Not being
// told apart is no equality, and does not carry over from one pair to the next,
// so a member may belong to several groups. Differ says whether i and j were
// shown to differ, in whichever order; a pair that was not compared was not.
// Members are numbered from 0, in the order that the caller wants to show them;
// each group is sorted, and so are the groups. It fails when differ is not a
// symmetric table of n rows of n, and when there are more than 10,000 groups.
func Groups(differ [][]bool) ([][]int, error) {
	n := len(differ)
	for i, row := range differ {
		if len(row) != n {
			return nil, fmt.Errorf("row %d of %d has %d columns", i+1, n, len(row))
		}
		for j := range i {
			if row[j] != differ[j][i] {
				return nil, fmt.Errorf("members %d and %d differ one way and not the other", j+1, i+1)
			}
		}
	}
	if n == 0 {
		return nil, nil
	}
	everybody := make([]int, n)
	for i := range everybody {
		everybody[i] = i
	}
	c := cliques{differ: differ}
	if !c.grow(nil, everybody, nil) {
		return nil, errors.New("there are too many groups to list")
	}
	slices.SortFunc(c.found, slices.Compare)
	return c.found, nil
}

type cliques struct {
	differ [][]bool
	found  [][]int
	steps  int
}

// grow lists the maximal groups that hold all of group, some of may and none of
// done (Bron and Kerbosch, Comm. ACM 16 (1973) 575, with Tomita's pivot). It
// gives up, and says false, when they are too many.
func (c *cliques) grow(group, may, done []int) bool {
	if c.steps++; c.steps > 100*maxGroups {
		return false
	}
	if len(may) == 0 {
		if len(done) == 0 {
			c.found = append(c.found, slices.Sorted(slices.Values(group)))
		}
		return len(c.found) <= maxGroups
	}
	pivot := c.pivot(may, done)
	for _, member := range slices.Clone(may) {
		if member != pivot && !c.differ[member][pivot] {
			continue // every group with it and without the pivot is found with a third
		}
		larger := append(slices.Clone(group), member)
		if !c.grow(larger, c.like(member, may), c.like(member, done)) {
			return false
		}
		may = slices.DeleteFunc(slices.Clone(may), func(i int) bool { return i == member })
		done = append(slices.Clone(done), member)
	}
	return true
}

// pivot is the member that is like most of those that may still be added.
func (c *cliques) pivot(may, done []int) int {
	best, most := -1, -1
	for _, member := range slices.Concat(may, done) {
		if like := len(c.like(member, may)); like > most {
			best, most = member, like
		}
	}
	return best
}

// like returns those of members, other than i, that do not differ from i.
func (c *cliques) like(i int, members []int) []int {
	var alike []int
	for _, j := range members {
		if j != i && !c.differ[i][j] {
			alike = append(alike, j)
		}
	}
	return alike
}

// Letters turns groups into the letters of each of n members: a for the first
// group, then b and so on; aa follows z.
func Letters(groups [][]int, n int) [][]string {
	letters := make([][]string, n)
	for g, group := range groups {
		for _, member := range group {
			if member >= 0 && member < n {
				letters[member] = append(letters[member], letter(g))
			}
		}
	}
	return letters
}

func letter(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return letter(i/26-1) + letter(i%26)
}
