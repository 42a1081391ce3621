package stage

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// machine is a summary with made-up figures: four cores of which 2.5 are busy.
func machine() sample.Summary {
	return sample.Summary{Cores: 4, Busy: 2.5, Power: map[string]float64{"package-0": 20}, Groups: map[string]sample.GroupSummary{
		GroupLoad:    {Cores: 1.5},
		GroupCNI:     {Cores: 0.25, WorkingSet: sample.Gauge{Mean: 30 << 20}},
		GroupCluster: {Cores: 2, WorkingSet: sample.Gauge{Mean: 900 << 20}},
	}}
}

func with(s sample.Summary, name string, g sample.GroupSummary) sample.Summary {
	s.Groups = maps.Clone(s.Groups)
	s.Groups[name] = g
	return s
}

func without(s sample.Summary, name string) sample.Summary {
	s.Groups = maps.Clone(s.Groups)
	delete(s.Groups, name)
	return s
}

func byName(values []result.Value) map[string]float64 {
	m := map[string]float64{}
	for _, v := range values {
		m[v.Name] = v.Value
	}
	return m
}

func TestResourceFigures(t *testing.T) {
	saturated := machine()
	saturated.Busy = 3.9
	for _, tt := range []struct {
		name      string
		machines  map[string]sample.Summary
		hasAgents bool
		want      map[string]float64
		marks     []string
	}{
		{
			"one kernel", map[string]sample.Summary{"node1": machine()}, true,
			map[string]float64{"cpu": 2.5, "cni-cpu": 0.25, "cni-memory": 30 << 20, "memory": 900 << 20}, nil,
		},
		{
			"several kernels add up", map[string]sample.Summary{"node1": machine(), "node2": machine()}, true,
			map[string]float64{"cpu": 5, "cni-cpu": 0.5, "cni-memory": 60 << 20, "memory": 1800 << 20}, nil,
		},
		{
			// A variant without pods of its own uses nothing: a true zero.
			"no agents", map[string]sample.Summary{"node1": without(machine(), GroupCNI)}, false,
			map[string]float64{"cpu": 2.5, "cni-cpu": 0, "cni-memory": 0, "memory": 900 << 20}, nil,
		},
		{
			"saturated", map[string]sample.Summary{"node1": saturated}, true,
			map[string]float64{"cpu": 3.9, "cni-cpu": 0.25, "cni-memory": 30 << 20, "memory": 900 << 20}, []string{"cpu-saturated"},
		},
		{
			"one machine of two is busy", map[string]sample.Summary{"node1": saturated, "node2": machine()}, true,
			map[string]float64{"cpu": 6.4, "cni-cpu": 0.5, "cni-memory": 60 << 20, "memory": 1800 << 20}, nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := machineFigures(tt.machines)
			f.Merge(ownedFigures(tt.machines, tt.hasAgents))
			if diff := cmp.Diff(tt.want, byName(f.Values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(f.Marks)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

func markNames(marks []result.Mark) []string {
	var names []string
	for _, m := range marks {
		names = append(names, m.Name)
	}
	return names
}

// The figures of a group that was not seen are missing with a reason that names
// it and its node, never 0; others stand.
func TestMissingGroups(t *testing.T) {
	lost := sample.GroupSummary{Error: "it went away"}
	partly := sample.GroupSummary{Cores: 1, Missing: []string{"/cnibench/a/node2/kubepods/podu"}}
	ofCNI, ofCluster := []string{"cni-cpu", "cni-memory"}, []string{"memory"}
	for _, tt := range []struct {
		name    string
		summary sample.Summary
		missing []string
		want    []string
	}{
		{"no cluster", without(machine(), GroupCluster), ofCluster, []string{"node7", GroupCluster}},
		{"no agents", without(machine(), GroupCNI), ofCNI, []string{"node7", GroupCNI}},
		{"agents lost", with(machine(), GroupCNI, lost), ofCNI, []string{"node7", GroupCNI, "it went away"}},
		{"agents lost in part", with(machine(), GroupCNI, partly), ofCNI, []string{"node7", GroupCNI, "podu"}},
		{"cluster lost", with(machine(), GroupCluster, lost), ofCluster, []string{"node7", GroupCluster, "it went away"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ownedFigures(map[string]sample.Summary{"node7": tt.summary}, true)
			lacks(t, f, tt.missing, tt.want...)
			if len(f.Values)+len(tt.missing) != 3 {
				t.Errorf("values %v, missing %v", f.Values, f.Missing)
			}
		})
	}
	for name, summary := range map[string]sample.Summary{
		"no load": without(machine(), GroupLoad), "load lost": with(machine(), GroupLoad, lost), "load lost in part": with(machine(), GroupLoad, partly),
	} {
		t.Run(name, func(t *testing.T) {
			f := CostFigures(10e9, one(summary), "")
			lacks(t, f, []string{"cpu-per-gbit-net"}, "node7", GroupLoad)
			if v := byName(f.Values); v["cpu-per-gbit"] != 250 {
				t.Errorf("values %v", v)
			}
		})
	}
}

// one is a machine that was sampled.
func one(s sample.Summary) Machines {
	return Machines{Summaries: map[string]sample.Summary{"node7": s}}
}

// lacks checks that exactly these metrics are missing, with a reason that says
// some words.
func lacks(t *testing.T, f Figures, names []string, words ...string) {
	t.Helper()
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(f.Missing))); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	for _, name := range names {
		says(t, errors.New(f.Missing[name]), words...)
		if _, has := byName(f.Values)[name]; has {
			t.Errorf("%s has a value all the same", name)
		}
	}
}

func says(t *testing.T, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
}
