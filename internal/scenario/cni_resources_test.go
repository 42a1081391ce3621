package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe/sample"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// A load that is another scenario is one that there is and that measures for as
// long as this one is told to.
func TestResourceLoadsAreScenarios(t *testing.T) {
	for _, name := range resourceLoad.Choices {
		if name == loadServices {
			continue
		}
		s, err := Find(name)
		if err != nil {
			t.Error(err)
			continue
		}
		takes := map[string]bool{}
		for _, p := range s.Parameters {
			takes[p.Name] = true
		}
		if !takes[duration.Name] {
			t.Errorf("load %s takes no duration", name)
		}
		if s.Requires.DNS || s.Requires.HTTPLoad || s.Requires.Policy || s.Requires.L7 {
			t.Errorf("load %s needs %s, which a lab for cni-resources does not have", name, s.Requires.Words())
		}
	}
}

// attributing are machines whose control groups are known.
type attributing struct{ cluster.Machines }

func (attributing) Unattributed() map[string]string { return nil }

// agentsBench is a bench of two machines, whose plugin has pods or has none.
func agentsBench(agents ...cni.AgentPods) *stage.Bench {
	return &stage.Bench{Cluster: &cluster.Cluster{Machines: attributing{}}, Entry: cni.Entry{Agents: agents}}
}

// agentsSeen is what samplers saw of a plugin's pods.
func agentsSeen(largest ...float64) *stage.Machines {
	seen := map[string]sample.Summary{}
	for i, size := range largest {
		g := sample.GroupSummary{}
		g.WorkingSet.Max = size
		seen[[]string{"node1", "node2"}[i]] = sample.Summary{Groups: map[string]sample.GroupSummary{stage.GroupCNI: g}}
	}
	return &stage.Machines{Summaries: seen}
}

// Of what a load measures, the resources remain; what the plugin's pods took
// at most joins them. A plugin without pods takes nothing.
func TestOnlyResources(t *testing.T) {
	m := func() stage.Measurement {
		return stage.Measurement{
			Values: []result.Value{{Metric: throughput, Value: 1e9}, {Metric: stage.CPU, Value: 2}, {Metric: stage.CNIMemory, Value: 10}},
			Marks:  []result.Mark{{Name: "too-few-samples", Detail: "of the latency"}, {Name: stage.MarkSaturated, Detail: "2 of 2 cores were busy"}},
		}
	}
	for _, tt := range []struct {
		name  string
		bench *stage.Bench
		want  float64
	}{
		{"a plugin with pods", agentsBench(cni.AgentPods{Role: "dataplane"}), 50},
		{"a plugin without", agentsBench(), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := onlyResources(tt.bench, m(), agentsSeen(20, 30))
			if err != nil {
				t.Fatal(err)
			}
			want := []result.Value{{Metric: stage.CPU, Value: 2}, {Metric: stage.CNIMemory, Value: 10}, {Metric: cniMemoryMax, Value: tt.want}}
			if diff := cmp.Diff(want, got.Values); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
			if len(got.Marks) != 1 || got.Marks[0].Name != stage.MarkSaturated {
				t.Errorf("marks %v", got.Marks)
			}
		})
	}
	lost := m()
	lost.Missing = map[string]string{stage.CPUPerGbit.Name: "the probe died", stage.Memory.Name: "the probe died"}
	got, err := onlyResources(agentsBench(cni.AgentPods{Role: "dataplane"}), lost, &stage.Machines{Unknown: "the probe died"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{stage.Memory.Name: "the probe died", cniMemoryMax.Name: "the probe died"}, got.Missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
	if _, err := onlyResources(agentsBench(), m(), nil); err == nil {
		t.Error("a load that was not sampled is accepted")
	}
}
