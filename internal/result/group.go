package result

import "strings"

// Groups whose metrics are parts of the busy CPU: reports draw them as parts
// of a whole.
const (
	CPUByMode  = "CPU by mode"
	CPUByOwner = "CPU by owner"
)

// BetweenNodes is the group of metrics that are of one pair of nodes each, in
// one direction: the fields of a matrix. Their names are made by [PairName].
const BetweenNodes = "between nodes"

// pairSign stands between the nodes of a pair: no node's name has it.
const pairSign = ">"

// PairName names the metric of what went from one node to another.
func PairName(from, to string) string { return from + pairSign + to }

// PairOf reads the nodes of a metric of the group [BetweenNodes], and reports
// false for a name that has none.
func PairOf(metric string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(metric, pairSign)
	return from, to, ok && from != "" && to != ""
}
