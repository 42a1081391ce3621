package stage

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cnibench/cnibench/internal/probe/sample"
)

func ptr[T any](v T) *T { return &v }

// sampledMachine is machine, with all that a kernel may offer.
func sampledMachine() sample.Summary {
	s := machine()
	start := time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)
	s.Window = sample.Window{Start: start, End: start.Add(2 * time.Second)}
	s.Modes = sample.Modes{User: 0.3, Nice: 0.1, System: 1, IRQ: 0.05, SoftIRQ: 0.95, Steal: 0.1, Idle: 1.5}
	s.BusiestCore, s.ContextSwitches, s.Probe = ptr(0.8), ptr(9000.0), ptr(0.002)
	s.Memory = &sample.MemorySummary{Used: sample.Gauge{Mean: 1 << 30}}
	s.Softnet = &sample.SoftnetRates{Processed: 1e5, Dropped: 3, Squeezed: 40}
	s.Protocols = &sample.ProtocolRates{
		TCP: map[string]float64{"RetransSegs": 7}, TCPExt: map[string]float64{"ListenDrops": 0},
		UDP: map[string]float64{"RcvbufErrors": 2, "SndbufErrors": 1},
	}
	s.Conntrack = &sample.ConntrackSummary{Entries: sample.Gauge{Mean: 500, Max: 1000}, Limit: ptr(uint64(4000))}
	s.Power = map[string]float64{"package-0": 30, "package-1": 20}
	s.Hardware = &sample.HardwareRates{Cycles: 4e9}
	s.Groups = maps.Clone(s.Groups)
	s.Groups["kubelet"] = sample.GroupSummary{Cores: 0.05, WorkingSet: sample.Gauge{Mean: 80 << 20}}
	s.Groups["runtime"] = sample.GroupSummary{Cores: 0.1, WorkingSet: sample.Gauge{Mean: 120 << 20}}
	return s
}

func TestDetails(t *testing.T) {
	whole := map[string]float64{
		"cpu-user": 0.4, "cpu-system": 1, "cpu-softirq": 0.95, "cpu-irq": 0.05, "cpu-steal": 0.1,
		"busiest-core": 80, "context-switches": 9000, "probe-cpu": 0.002, "cycles-per-packet": 40000, "machine-memory": 1 << 30,
		"node-retransmits": 7, "listen-drops": 0, "udp-buffer-errors": 3, "softnet-drops": 3, "softnet-squeezes": 40,
		"conntrack-entries": 500, "conntrack-fill": 25, "energy": 100, "energy-per-gbit": 5,
		"load-cpu": 1.5, "node-cpu": 0.15, "rest-cpu": 0.6, "load-memory": 0, "node-memory": 200 << 20,
	}
	all := func(ms Machines, bitsPerSecond float64) Figures {
		f := detailFigures(ms)
		f.Merge(ownerFigures(ms, true))
		f.Merge(energyFigures(bitsPerSecond, ms))
		return f
	}
	near := cmpopts.EquateApprox(1e-9, 0)
	f := all(one(sampledMachine()), 10e9)
	if diff := cmp.Diff(whole, byName(f.Values), near); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	if len(f.Missing) > 0 {
		t.Errorf("missing %v", f.Missing)
	}
	// Two kernels add up, but for shares and what is per packet.
	twice := map[string]float64{}
	for name, v := range whole {
		twice[name] = 2 * v
		if slices.Contains([]string{"busiest-core", "conntrack-fill", "cycles-per-packet"}, name) {
			twice[name] = v
		}
	}
	two := Machines{Summaries: map[string]sample.Summary{"node1": sampledMachine(), "node2": sampledMachine()}}
	if diff := cmp.Diff(twice, byName(all(two, 10e9).Values), near); diff != "" {
		t.Errorf("values of two kernels (-want +got):\n%s", diff)
	}
	// Everything that is reported is declared, and the other way round.
	declared := append(DetailMetrics(), EnergyPerGbit)
	for _, v := range f.Values {
		if !slices.Contains(declared, v.Metric) {
			t.Errorf("%s is not declared as it is reported", v.Name)
		}
		if v.Group == "" || v.Help == "" {
			t.Errorf("%s has no group or no help", v.Name)
		}
	}
	if len(declared) != len(f.Values) {
		t.Errorf("%d are declared, %d reported", len(declared), len(f.Values))
	}
}

// What a kernel does not offer is missing with a reason, never 0.
func TestDetailsThatAreNotOffered(t *testing.T) {
	bare := sampledMachine()
	bare.Power, bare.Hardware, bare.Softnet, bare.Protocols = nil, nil, nil, nil
	bare.Conntrack.Limit = nil
	bare.Missing = map[string]string{"softnet": "the counter fell"}
	f := detailFigures(one(bare))
	f.Merge(energyFigures(1e9, one(bare)))
	want := map[string]string{
		"energy": noEnergy, "energy-per-gbit": noEnergy, "cycles-per-packet": noCycles, "conntrack-fill": noLimit,
		"node-retransmits": notOffered, "listen-drops": notOffered, "udp-buffer-errors": notOffered,
		"softnet-drops": "node7: the counter fell", "softnet-squeezes": "node7: the counter fell",
	}
	if diff := cmp.Diff(want, f.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	for name := range want {
		if v, has := byName(f.Values)[name]; has {
			t.Errorf("%s is %v all the same", name, v)
		}
	}
}

// A group that was lost costs what it is part of, and no more.
func TestOwnersThatAreLost(t *testing.T) {
	lost := sample.GroupSummary{Error: "it went away"}
	for name, tt := range map[string]struct {
		group string
		want  []string
	}{
		"load":    {GroupLoad, []string{"load-cpu", "load-memory", "rest-cpu"}},
		"plugin":  {GroupCNI, []string{"rest-cpu"}},
		"kubelet": {"kubelet", []string{"node-cpu", "node-memory", "rest-cpu"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := ownerFigures(one(with(sampledMachine(), tt.group, lost)), true)
			lacks(t, f, tt.want, "node7", "it went away")
			if len(f.Values)+len(tt.want) != len(ownerMetrics) {
				t.Errorf("values %v", f.Values)
			}
		})
	}
}
