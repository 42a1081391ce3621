package stats

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func table(n int, differ ...[2]int) [][]bool {
	t := make([][]bool, n)
	for i := range t {
		t[i] = make([]bool, n)
	}
	for _, d := range differ {
		t[d[0]][d[1]], t[d[1]][d[0]] = true, true
	}
	return t
}

func TestGroups(t *testing.T) {
	tests := []struct {
		name    string
		differ  [][]bool
		groups  [][]int
		letters [][]string
	}{
		{"nobody", nil, nil, [][]string{}},
		{"alone", table(1), [][]int{{0}}, [][]string{{"a"}}},
		{"nothing shown", table(3), [][]int{{0, 1, 2}}, [][]string{{"a"}, {"a"}, {"a"}}},
		{"all differ", table(3, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}), [][]int{{0}, {1}, {2}}, [][]string{{"a"}, {"b"}, {"c"}}},
		{"only the ends differ", table(3, [2]int{0, 2}), [][]int{{0, 1}, {1, 2}}, [][]string{{"a"}, {"a", "b"}, {"b"}}},
		{"a ring", table(4, [2]int{0, 2}, [2]int{1, 3}), [][]int{{0, 1}, {0, 3}, {1, 2}, {2, 3}},
			[][]string{{"a", "b"}, {"a", "c"}, {"c", "d"}, {"b", "d"}}},
	}
	for _, test := range tests {
		groups, err := Groups(test.differ)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.groups, groups); diff != "" {
			t.Errorf("%s: groups (-want +got):\n%s", test.name, diff)
		}
		if diff := cmp.Diff(test.letters, Letters(groups, len(test.differ))); diff != "" {
			t.Errorf("%s: letters (-want +got):\n%s", test.name, diff)
		}
	}
	if got := []string{letter(0), letter(25), letter(26), letter(701), letter(702)}; !slices.Equal(got, []string{"a", "z", "aa", "zz", "aaa"}) {
		t.Errorf("letters %v", got)
	}
}

func TestGroupsOfBadTables(t *testing.T) {
	lopsided := table(2)
	lopsided[0][1] = true
	var triples [][2]int // n/3 groups of three that differ: 3^(n/3) maximal sets
	for i := range 60 {
		for j := range i {
			if i/3 == j/3 {
				triples = append(triples, [2]int{i, j})
			}
		}
	}
	for name, differ := range map[string][][]bool{
		"not square": {{false, true}}, "lopsided": lopsided, "made to explode": table(60, triples...),
	} {
		if groups, err := Groups(differ); err == nil {
			t.Errorf("%s: %d groups and no error", name, len(groups))
		}
	}
}

// The definition, by brute force over all sets of up to eight members.
func TestGroupsAreMaximal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		differ := table(n)
		for i := range n {
			for j := range i {
				differ[i][j] = rapid.Bool().Draw(t, "differ")
				differ[j][i] = differ[i][j]
			}
		}
		fits := func(set int) bool {
			for i := range n {
				for j := range i {
					if set>>i&1 == 1 && set>>j&1 == 1 && differ[i][j] {
						return false
					}
				}
			}
			return true
		}
		var want [][]int
		for set := 1; set < 1<<n; set++ {
			maximal := fits(set)
			var group []int
			for i := range n {
				if set>>i&1 == 1 {
					group = append(group, i)
				} else {
					maximal = maximal && !fits(set|1<<i)
				}
			}
			if maximal {
				want = append(want, group)
			}
		}
		slices.SortFunc(want, slices.Compare)
		got, err := Groups(differ)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("groups (-want +got):\n%s", diff)
		}
	})
}
