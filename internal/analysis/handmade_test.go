package analysis

import (
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

const (
	cellID = "tcp-pod-multi"
	mib    = 1 << 20
)

var (
	throughput = result.Metric{Name: "throughput", Unit: "bit/s", Better: result.Higher, Scale: result.Ratio, Margin: 0.03}
	memory     = result.Metric{Name: "memory-overhead", Unit: "bytes", Better: result.Lower, Scale: result.Difference, Margin: 10 * mib}
)

// testPlan has one cell, the given number of blocks, and host as its base. The
// order of the variants turns by one place in every block.
func testPlan(blocks int, variants ...string) plan.Plan {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "hand-made", Hash: "sha256:0", Seed: 1, FreshCluster: true,
		Cells:    []plan.Cell{{ID: cellID, Scenario: cellID, Parameters: parameter.Values{"duration": "10s", "streams": "8", "placement": "cross-node"}}},
		Analysis: plan.Analysis{Base: "host", Primary: []string{cellID + "/throughput"}},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v, Entry: v})
	}
	for b := range blocks {
		turn := b % len(variants)
		order := append(append([]string{}, variants[turn:]...), variants[:turn]...)
		p.Blocks = append(p.Blocks, plan.Block{Index: b + 1, Order: order, Cells: []string{cellID}})
	}
	return p
}

// trial is the planned trial of a block and variant, ok, with these values.
func trial(p plan.Plan, block int, variant string, values ...result.Value) result.Trial {
	t := result.Trial{
		Schema: result.SchemaVersion, Block: block, Variant: variant, Cell: cellID, Scenario: cellID,
		Attempt: 1, Status: result.OK, Values: values,
	}
	for i, v := range p.Blocks[block-1].Order {
		if v == variant {
			t.Position = i + 1
		}
	}
	return t
}

func gbits(x float64) result.Value { return result.Value{Metric: throughput, Value: x * 1e9} }

func mibs(x float64) result.Value { return result.Value{Metric: memory, Value: x * mib} }

// handMade is a journal of three variants in six blocks.
func handMade() (plan.Plan, []result.Trial) {
	p := testPlan(6, "flannel-vxlan", "host", "cilium-kpr")
	var trials []result.Trial
	for b, host := range []float64{20, 21, 20.5, 19.8, 20.2, 20.6} {
		trials = append(trials, trial(p, b+1, "host", gbits(host), mibs(0)),
			trial(p, b+1, "flannel-vxlan", gbits(0.8*host), mibs(float64(11+b))))
	}
	for b, cilium := range []float64{20.1, 20.9, 20.4, 19.9} {
		trials = append(trials, trial(p, b+1, "cilium-kpr", gbits(cilium), mibs(float64(200+b))))
	}
	trials[0].Marks = []result.Mark{{Name: "cpu-saturated", Detail: "97 % busy"}}
	trials[3].Values[1].Partial = "the agents' page cache"
	lost := trial(p, 5, "cilium-kpr")
	lost.Status, lost.Reason = result.Failed, "agent not ready after 180s"
	again := lost
	again.Attempt, again.Status, again.Reason = 2, result.Invalid, "0.4 cores of foreign CPU"
	return p, append(trials, lost, again)
}

var handMadeEnvironment = result.Environment{
	Topology: "lab",
	Variants: map[string]result.Variant{
		"host":          {Versions: map[string]string{"kubernetes": "v1.34.4"}, PodSysctls: map[string]string{"net.ipv4.tcp_congestion_control": "cubic"}},
		"flannel-vxlan": {Versions: map[string]string{"kubernetes": "v1.34.4"}, PodSysctls: map[string]string{"net.ipv4.tcp_congestion_control": "bbr"}},
	},
}
