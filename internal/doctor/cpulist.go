package doctor

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parenthesis holds which interrupts a list of CPUs is of, as facts write it.
var parenthesis = regexp.MustCompile(`\([^)]*\)`)

// mostCPUs bounds the ranges that are believed, as NR_CPUS of any kernel does.
const mostCPUs = 1 << 14

// cpusIn reads lists of CPUs out of a fact: "CPUs 0-2,5 (0-1); CPUs 3 (2)".
func cpusIn(text string) map[int]bool {
	set := map[int]bool{}
	text = strings.NewReplacer("CPUs", "", ";", ",").Replace(parenthesis.ReplaceAllString(text, ""))
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		low, err := strconv.Atoi(first)
		if err != nil || low < 0 || low >= mostCPUs {
			continue
		}
		high := low
		if isRange {
			if high, err = strconv.Atoi(last); err != nil || high >= mostCPUs {
				continue
			}
		}
		for n := low; n <= high; n++ {
			set[n] = true
		}
	}
	return set
}

// notWithin lists what of a set is not in another.
func notWithin(set, in map[int]bool) []int {
	var outside []int
	for _, n := range slices.Sorted(maps.Keys(set)) {
		if !in[n] {
			outside = append(outside, n)
		}
	}
	return outside
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
