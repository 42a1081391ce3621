package cni

import (
	"fmt"
	"slices"
	"strings"
)

// finding is one reason for less than a plain yes.
type finding struct {
	runs  Runs
	text  string
	nodes []string // on which it was found; empty: it concerns the cluster
}

// findings collects the reasons of one entry. What is said of several nodes in
// the same words is one finding.
type findings struct {
	found     []finding
	unchecked []string
}

func (f *findings) add(runs Runs, node, text string) {
	i := slices.IndexFunc(f.found, func(have finding) bool {
		return have.runs == runs && have.text == text && (len(have.nodes) == 0) == (node == "")
	})
	if i < 0 {
		f.found = append(f.found, finding{runs: runs, text: text})
		i = len(f.found) - 1
	}
	if node != "" && !slices.Contains(f.found[i].nodes, node) {
		f.found[i].nodes = append(f.found[i].nodes, node)
	}
}

// weight orders answers from the best to the worst.
func (r Runs) weight() int {
	return slices.Index([]Runs{RunsYes, RunsDegraded, RunsUnknown, RunsNo}, r)
}

// conclude gives the worst answer and all reasons, those that decide first.
func (f *findings) conclude(nodes int) (Runs, []string) {
	slices.SortStableFunc(f.found, func(a, b finding) int { return b.runs.weight() - a.runs.weight() })
	runs, because := RunsYes, []string{}
	for i, x := range f.found {
		if i == 0 {
			runs = x.runs
		}
		because = append(because, x.String(nodes))
	}
	return runs, because
}

// fewNodes are named one by one.
const fewNodes = 4

func (x finding) String(all int) string {
	switch n := len(x.nodes); {
	case n == 0:
		return x.text
	case n > fewNodes && n == all:
		return fmt.Sprintf("all %d nodes: %s", n, x.text)
	default:
		return strings.Join(x.nodes, ", ") + ": " + x.text
	}
}
