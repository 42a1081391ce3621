package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stats"
)

// groupsOf finds the variants that cannot be told apart in one metric. All
// pairs are one family, so that with a chance of at least 95 % no two variants
// without a common group are in truth within the margin of each other. Alpha is
// the one-sided level. Variants without values take no part. It returns nil where there are fewer than three
// variants: the comparison says as much.
func groupsOf(m Metric, alpha float64) (*ComparedGroups, error) {
	members := byMedian(m)
	if len(members) < 3 {
		return nil, nil
	}
	g := &ComparedGroups{}
	for _, arm := range members {
		g.Members = append(g.Members, arm.Variant)
	}
	pairs, smallest := pairsAmong(m, g.Members)
	if limit := alpha / float64(len(pairs)); smallest > limit {
		g.Absent = fmt.Sprintf("too few values: with %d pairs p must be at most %.2g for a first difference, and it cannot be below %.2g", len(pairs), limit, smallest)
		return g, nil
	}
	differ, err := differing(g.Members, pairs, alpha)
	if err != nil {
		return nil, err
	}
	groups, err := stats.Groups(differ)
	if err != nil {
		g.Absent = err.Error()
		return g, nil
	}
	for _, group := range groups {
		var names []string
		for _, i := range group {
			names = append(names, g.Members[i])
		}
		g.Groups = append(g.Groups, names)
	}
	return g, nil
}

// Groups finds the variants that cannot be told apart in a metric of the
// analysis, its A/A twin aside. It returns nil where fewer than three variants
// have values.
func (a Analysis) Groups(m Metric) (*ComparedGroups, error) {
	return groupsOf(withoutTwin(m, a.Plan.Analysis.AA), Alpha(a.Plan))
}

// byMedian sorts the arms that have values, the best first; equal ones keep
// the plan's order.
func byMedian(m Metric) []Arm {
	members := slices.DeleteFunc(slices.Clone(m.Arms), func(a Arm) bool { return a.Summary == nil })
	slices.SortStableFunc(members, func(a, b Arm) int {
		if m.Better == result.Higher {
			a, b = b, a
		}
		return cmp.Compare(a.Summary.Median, b.Summary.Median)
	})
	return members
}

// pairsAmong returns the comparisons of the members, and the smallest p-value
// that one of them can attain.
func pairsAmong(m Metric, members []string) (pairs []Comparison, smallest float64) {
	smallest = 1
	for _, k := range m.Comparisons {
		if slices.Contains(members, k.A) && slices.Contains(members, k.B) {
			pairs = append(pairs, k)
			attainable := stats.SmallestP(len(k.Pairs))
			if k.Unpaired != nil {
				attainable = k.Unpaired.SmallestP
			}
			smallest = min(smallest, attainable)
		}
	}
	return pairs, smallest
}

// differing tells which members were shown to differ.
func differing(members []string, pairs []Comparison, alpha float64) ([][]bool, error) {
	family := make([]stats.Claims, len(pairs))
	for i, k := range pairs {
		family[i] = stats.NoClaims()
		if k.P != nil {
			family[i] = stats.Claims(*k.P)
		}
	}
	decisions, err := stats.Decide(family, alpha)
	if err != nil {
		return nil, err
	}
	differ := make([][]bool, len(members))
	for i := range differ {
		differ[i] = make([]bool, len(members))
	}
	for i, k := range pairs {
		if v := decisions[i].Verdict; v == stats.Better || v == stats.Worse {
			x, y := slices.Index(members, k.A), slices.Index(members, k.B)
			differ[x][y], differ[y][x] = true, true
		}
	}
	return differ, nil
}

// letter gives the arms the letters of their groups.
func (m *ComparedMetric) letter() {
	if m.Groups == nil || m.Groups.Absent != "" {
		return
	}
	indexes := make([][]int, len(m.Groups.Groups))
	for i, group := range m.Groups.Groups {
		for _, name := range group {
			indexes[i] = append(indexes[i], slices.Index(m.Groups.Members, name))
		}
	}
	letters := stats.Letters(indexes, len(m.Groups.Members))
	for i := range m.Arms {
		if k := slices.Index(m.Groups.Members, m.Arms[i].Variant); k >= 0 {
			separator := ""
			if len(indexes) > 26 {
				separator = " "
			}
			m.Arms[i].Letters = strings.Join(letters[k], separator)
		}
	}
}
