package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

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
			if diff := cmp.Diff(tt.want, byName(f.Values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(f.Marks)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
	nothing := traffic()
	nothing.BitsPerSecond = 0
	lacks(t, tcpFigures(nothing, one(machine()), ""), []string{"cpu-per-gbit", "cpu-per-gbit-net", "energy-per-gbit"}, "nothing was carried")
	// What the probes lost takes nothing from what the load measured.
	f := tcpFigures(traffic(), stage.Machines{Unknown: "the probe on node7: unexpected EOF"}, "")
	lacks(t, f, []string{"cpu-per-gbit", "cpu-per-gbit-net", "energy-per-gbit"}, "node7", "EOF")
	if diff := cmp.Diff(map[string]float64{"throughput": 10e9, "retransmits": 15, "rtt": 250e-6}, byName(f.Values)); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// What scenarios report is what they declare.
func TestTCPValuesAreDeclared(t *testing.T) {
	both := traffic()
	both.Forward, both.Reverse = 6e9, 4e9
	f := tcpFigures(both, one(machine()), "")
	declared := map[string]result.Metric{}
	for _, m := range append(slices.Clone(tcpMetrics), stage.EnergyPerGbit) {
		if !slices.Contains([]result.Metric{stage.CPU, stage.CNICPU, stage.CNIMemory, stage.Memory}, m) { // the machines', whatever the load
			declared[m.Name] = m
		}
	}
	for _, v := range f.Values {
		if declared[v.Name] != v.Metric {
			t.Errorf("%s is reported as %+v and declared as %+v", v.Name, v.Metric, declared[v.Name])
		}
		delete(declared, v.Name)
	}
	if len(declared) > 0 {
		t.Errorf("declared and never reported: %v", declared)
	}
}
