package scenario

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
)

// machine is a summary with made-up figures: four cores of which 2.5 are busy.
func machine() sample.Summary {
	return sample.Summary{Cores: 4, Busy: 2.5, Power: map[string]float64{"package-0": 20}, Groups: map[string]sample.GroupSummary{
		groupLoad:    {Cores: 1.5},
		groupCNI:     {Cores: 0.25, WorkingSet: sample.Gauge{Mean: 30 << 20}},
		groupCluster: {Cores: 2, WorkingSet: sample.Gauge{Mean: 900 << 20}},
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
			"no agents", map[string]sample.Summary{"node1": without(machine(), groupCNI)}, false,
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
			f.merge(ownedFigures(tt.machines, tt.hasAgents))
			if diff := cmp.Diff(tt.want, byName(f.values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(f.marks)); diff != "" {
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
		{"no cluster", without(machine(), groupCluster), ofCluster, []string{"node7", groupCluster}},
		{"no agents", without(machine(), groupCNI), ofCNI, []string{"node7", groupCNI}},
		{"agents lost", with(machine(), groupCNI, lost), ofCNI, []string{"node7", groupCNI, "it went away"}},
		{"agents lost in part", with(machine(), groupCNI, partly), ofCNI, []string{"node7", groupCNI, "podu"}},
		{"cluster lost", with(machine(), groupCluster, lost), ofCluster, []string{"node7", groupCluster, "it went away"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ownedFigures(map[string]sample.Summary{"node7": tt.summary}, true)
			lacks(t, f, tt.missing, tt.want...)
			if len(f.values)+len(tt.missing) != 3 {
				t.Errorf("values %v, missing %v", f.values, f.missing)
			}
		})
	}
	for name, summary := range map[string]sample.Summary{
		"no load": without(machine(), groupLoad), "load lost": with(machine(), groupLoad, lost), "load lost in part": with(machine(), groupLoad, partly),
	} {
		t.Run(name, func(t *testing.T) {
			f := tcpFigures(traffic(), one(summary), "")
			lacks(t, f, []string{"cpu-per-gbit-net"}, "node7", groupLoad)
			if v := byName(f.values); v["throughput"] != 10e9 || v["cpu-per-gbit"] != 250 {
				t.Errorf("values %v", v)
			}
		})
	}
}

// one is a machine that was sampled.
func one(s sample.Summary) machines {
	return machines{summaries: map[string]sample.Summary{"node7": s}}
}

// lacks checks that exactly these metrics are missing, with a reason that says
// some words.
func lacks(t *testing.T, f figures, names []string, words ...string) {
	t.Helper()
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(f.missing))); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	for _, name := range names {
		says(t, errors.New(f.missing[name]), words...)
		if _, has := byName(f.values)[name]; has {
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

// traffic is 10 Gbit/s over two seconds.
func traffic() load.Iperf3Throughput {
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	retransmits, rtt := int64(30), 250*time.Microsecond
	return load.Iperf3Throughput{
		Window: sample.Window{Start: start, End: start.Add(2 * time.Second)}, BitsPerSecond: 10e9, Retransmits: &retransmits, MeanRTT: &rtt,
	}
}

func TestTCPValues(t *testing.T) {
	full := map[string]float64{"throughput": 10e9, "cpu-per-gbit": 250, "cpu-per-gbit-net": 100, "energy-per-gbit": 2, "retransmits": 15, "rtt": 250e-6}
	untold := traffic()
	untold.Retransmits, untold.MeanRTT = nil, nil
	limited := traffic()
	limited.Limited = []string{"client of stream 1 used 99 % of a core"}
	both := traffic()
	both.Forward, both.Reverse = 6e9, 4e9
	none := int64(0)
	lossless := traffic()
	lossless.Retransmits = &none
	for _, tt := range []struct {
		name    string
		traffic load.Iperf3Throughput
		want    map[string]float64
		marks   []string
	}{
		{"all", traffic(), full, nil},
		// What iperf3 does not tell has no value; it is not 0.
		{"not told", untold, map[string]float64{"throughput": 10e9, "cpu-per-gbit": 250, "cpu-per-gbit-net": 100, "energy-per-gbit": 2}, nil},
		{"no segment lost", lossless, map[string]float64{"throughput": 10e9, "cpu-per-gbit": 250, "cpu-per-gbit-net": 100, "energy-per-gbit": 2, "retransmits": 0, "rtt": 250e-6}, nil},
		{"generator at its limit", limited, full, []string{"generator-limited"}},
		{"both ways", both, mergeValues(full, map[string]float64{"throughput-forward": 6e9, "throughput-reverse": 4e9}), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := tcpFigures(tt.traffic, one(machine()), "")
			if diff := cmp.Diff(tt.want, byName(f.values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(f.marks)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
	nothing := traffic()
	nothing.BitsPerSecond = 0
	lacks(t, tcpFigures(nothing, one(machine()), ""), []string{"cpu-per-gbit", "cpu-per-gbit-net", "energy-per-gbit"}, "nothing was carried")
	// What the probes lost takes nothing from what the load measured.
	f := tcpFigures(traffic(), machines{unknown: "the probe on node7: unexpected EOF"}, "")
	lacks(t, f, []string{"cpu-per-gbit", "cpu-per-gbit-net", "energy-per-gbit"}, "node7", "EOF")
	if diff := cmp.Diff(map[string]float64{"throughput": 10e9, "retransmits": 15, "rtt": 250e-6}, byName(f.values)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// What scenarios report is what they declare.
func TestTCPValuesAreDeclared(t *testing.T) {
	both := traffic()
	both.Forward, both.Reverse = 6e9, 4e9
	f := tcpFigures(both, one(machine()), "")
	f.merge(machineFigures(one(machine()).summaries))
	f.merge(ownedFigures(one(machine()).summaries, true))
	declared := map[string]result.Metric{}
	for _, m := range append(slices.Clone(tcpMetrics), energyPerGbit) {
		declared[m.Name] = m
	}
	for _, v := range f.values {
		if declared[v.Name] != v.Metric {
			t.Errorf("%s is reported as %+v and declared as %+v", v.Name, v.Metric, declared[v.Name])
		}
		delete(declared, v.Name)
	}
	if len(declared) > 0 {
		t.Errorf("declared and never reported: %v", declared)
	}
}
