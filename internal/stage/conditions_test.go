package stage

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

func TestConditions(t *testing.T) {
	share := func(v float64) *float64 { return &v }
	summary := func(groups map[string]sample.GroupSummary) sample.Summary {
		return sample.Summary{
			Cores: 4, Modes: sample.Modes{User: 2, Nice: 0.5, System: 1, SoftIRQ: 0.25, Steal: 0.5},
			ClockStep: 1500 * time.Millisecond, Groups: groups,
		}
	}
	for _, tt := range []struct {
		name string
		ms   Machines
		want map[string]result.Condition
	}{
		{"nobody watched", Machines{Unknown: "the probe died"}, nil},
		{"a machine without CPUs", Machines{Summaries: map[string]sample.Summary{"node1": {}}}, nil},
		// The cluster's half core in user mode is not foreign, and neither is
		// the kernel's time, whosever it is.
		{
			"user mode alone is foreign",
			Machines{Summaries: map[string]sample.Summary{"node1": summary(map[string]sample.GroupSummary{
				GroupCluster: {Cores: 1.5, User: 0.5, System: 1}, GroupLoad: {User: 0.25},
			})}},
			map[string]result.Condition{"node1": {Steal: 0.125, ForeignCPU: share(0.5), ClockStep: 1.5}},
		},
		{
			"no control groups",
			Machines{Summaries: map[string]sample.Summary{"a": summary(nil), "b": summary(map[string]sample.GroupSummary{GroupCluster: {Error: "gone"}})}},
			map[string]result.Condition{"a": {Steal: 0.125, ClockStep: 1.5}, "b": {Steal: 0.125, ClockStep: 1.5}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, conditions(tt.ms)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
