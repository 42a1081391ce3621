package stage

import (
	"testing"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

func TestBusiestAgents(t *testing.T) {
	agents := func(cores float64) sample.Summary {
		return sample.Summary{Groups: map[string]sample.GroupSummary{IdleGroup: {Cores: cores}}}
	}
	unread := sample.Summary{Groups: map[string]sample.GroupSummary{IdleGroup: {Error: "permission denied"}}}
	for _, c := range []struct {
		name  string
		seen  map[string]sample.Summary
		cores float64
		known bool
	}{
		{"the busiest node", map[string]sample.Summary{"a": agents(0.1), "b": agents(1.2)}, 1.2, true},
		{"a node without groups", map[string]sample.Summary{"a": agents(0.1), "b": {}}, 0.1, true},
		{"groups that could not be read", map[string]sample.Summary{"a": unread}, 0, false},
		{"no probe at all", nil, 0, false},
	} {
		if cores, known := busiestAgents(c.seen); cores != c.cores || known != c.known {
			t.Errorf("%s: %v, %t instead of %v, %t", c.name, cores, known, c.cores, c.known)
		}
	}
}
