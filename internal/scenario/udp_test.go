package scenario

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/load"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// delivered is 10 Gbit/s of 12.5 that were offered.
func delivered() load.Iperf3Delivery {
	jitter := 20 * time.Microsecond
	return load.Iperf3Delivery{Offered: 12.5e9, Goodput: 10e9, Forward: 10e9, Datagrams: 1000, Lost: 200, OutOfOrder: 5, Jitter: &jitter}
}

func TestUDPValues(t *testing.T) {
	full := map[string]float64{
		"goodput": 10e9, "offered-rate": 12.5e9, "loss": 20, "out-of-order": 0.5, "jitter": 20e-6, "cpu-per-gbit": 250, "cpu-per-gbit-net": 100, "energy-per-gbit": 2,
	}
	both := delivered()
	both.Forward, both.Reverse = 4e9, 6e9
	for _, tt := range []struct {
		name     string
		delivery load.Iperf3Delivery
		load     bulk
		want     map[string]float64
		marks    []string
	}{
		{"no rate", delivered(), bulk{}, full, nil},
		{"at its rate", delivered(), bulk{rate: 12.6e9}, full, nil},
		{"below its rate", delivered(), bulk{rate: 20e9}, full, []string{"generator-limited"}},
		{"both ways", both, bulk{rate: 6.25e9, direction: "bidir"}, mergeValues(full, map[string]float64{"goodput-forward": 4e9, "goodput-reverse": 6e9}), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := udpFigures(tt.delivery, tt.load, one(machine()), "")
			if diff := cmp.Diff(tt.want, byName(f.Values)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.marks, markNames(f.Marks)); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
			reported(t, append(slices.Clone(udpMetrics), stage.EnergyPerGbit), f.Values)
		})
	}
}

func mergeValues(all ...map[string]float64) map[string]float64 {
	merged := map[string]float64{}
	for _, values := range all {
		for name, v := range values {
			merged[name] = v
		}
	}
	return merged
}

// reported holds what is reported against what is declared.
func reported(t *testing.T, declared []result.Metric, values []result.Value) {
	t.Helper()
	known := map[string]result.Metric{}
	for _, m := range declared {
		known[m.Name] = m
	}
	for _, v := range values {
		if known[v.Name] != v.Metric {
			t.Errorf("%s is reported as %+v and declared as %+v", v.Name, v.Metric, known[v.Name])
		}
	}
}
