package sample

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCPUEfficiency(t *testing.T) {
	node := func(busy, load float64) Summary {
		return Summary{Busy: busy, Groups: map[string]GroupSummary{"load": {Cores: load}}}
	}
	got, err := CPUEfficiency(10e9, "load", node(3, 1), node(2, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Efficiency{All: 500, WithoutLoad: 350}, got); diff != "" {
		t.Errorf("efficiency (-want +got):\n%s", diff)
	}
	broken := node(1, 1)
	broken.Groups["load"] = GroupSummary{Error: "gone"}
	partial := node(1, 1)
	partial.Groups["load"] = GroupSummary{Cores: 1, Missing: []string{"a"}}
	for name, err := range map[string]error{
		"no throughput": second(CPUEfficiency(0, "load", node(1, 1))),
		"NaN":           second(CPUEfficiency(math.NaN(), "load", node(1, 1))),
		"no machine":    second(CPUEfficiency(1, "load")),
		"no group":      second(CPUEfficiency(1, "other", node(1, 1))),
		"failed group":  second(CPUEfficiency(1, "load", broken)),
		"partial group": second(CPUEfficiency(1, "load", partial)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
