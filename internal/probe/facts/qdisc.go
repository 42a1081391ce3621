package facts

import (
	"maps"
	"slices"
	"strings"
)

// withChildren adds to the disciplines at the root of links, by index, what
// disciplines they have below them: "mq: fq_codel".
func withChildren(roots map[int]string, children map[int]map[string]bool) map[int]string {
	all := maps.Clone(roots)
	for index, kinds := range children {
		if all[index] != "" {
			all[index] += ": " + strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		}
	}
	return all
}
