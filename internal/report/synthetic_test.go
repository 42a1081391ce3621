package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/analysis"
	"github.com/cnibench/cnibench/internal/parameter"
	"github.com/cnibench/cnibench/internal/plan"
	"github.com/cnibench/cnibench/internal/result"
)

// Everything in this file is synthetic: numbers drawn from a seeded generator
// around made-up means, in the shape that throughput scenarios write. They are
// no measurements of the CNIs whose names they borrow.

// syntheticVariant holds the made-up means of one variant.
type syntheticVariant struct {
	name     string
	gbits    float64 // one stream
	multi    float64 // factor for eight streams
	rtt      float64 // seconds
	mcpu     float64 // per Gbit/s
	own      float64 // share of the load generator
	cniCores float64
	memory   float64 // MiB
}

var syntheticVariants = []syntheticVariant{
	{"host", 22.6, 1.01, 38e-6, 82, 0.52, 0, 0},
	{"flannel-host-gw", 22.4, 1.00, 39e-6, 83, 0.51, 0.004, 48},
	{"flannel-vxlan", 17.9, 0.97, 47e-6, 109, 0.40, 0.004, 49},
	{"cilium-kpr", 19.8, 1.08, 43e-6, 97, 0.44, 0.031, 310},
}

// syntheticPlan has as many variants and blocks as asked for, two cells and
// both cells' throughput as primary metrics.
func syntheticPlan(variants []syntheticVariant, blocks int) plan.Plan {
	p := plan.Plan{
		Schema: plan.SchemaVersion, Name: "synthetic: overlay or not",
		Hash: "sha256:5e1f0000000000000000000000000000000000000000000000000000000000aa", Seed: 7,
		Cluster: plan.Cluster{Lab: &plan.Lab{Nodes: 3, MTU: 1500, KubeProxy: "iptables", MaxPods: 110}}, FreshCluster: true,
		Cells: []plan.Cell{
			{ID: "tcp-pod-single", Scenario: "tcp-pod-single", Parameters: parameter.Values{"duration": "10s", "omit": "2s", "streams": "1", "placement": "cross-node"}},
			{ID: "tcp-pod-multi.streams=8", Scenario: "tcp-pod-multi", Parameters: parameter.Values{"duration": "10s", "omit": "2s", "streams": "8", "placement": "cross-node"}},
		},
		Analysis: plan.Analysis{
			Base: "host", Primary: []string{"tcp-pod-single/throughput", "tcp-pod-multi.streams=8/throughput"},
			Margins: map[string]float64{"rtt": 0.08},
		},
	}
	for _, v := range variants {
		p.Variants = append(p.Variants, plan.Variant{Name: v.name, Entry: v.name, Version: syntheticPlugins[v.name].Version})
	}
	for b := range blocks {
		block := plan.Block{Index: b + 1, Cells: []string{p.Cells[b%2].ID, p.Cells[(b+1)%2].ID}}
		for i := range variants {
			block.Order = append(block.Order, variants[(i+b)%len(variants)].name)
		}
		p.Blocks = append(p.Blocks, block)
	}
	return p
}

// syntheticTrial draws an ok trial with every metric of a throughput scenario.
func syntheticTrial(r *rand.Rand, v syntheticVariant, planned plan.Trial) result.Trial {
	k, cell := result.KeyOf(planned), planned.Cell
	noise := func(sd float64) float64 { return 1 + sd*r.NormFloat64() }
	gbits := v.gbits * noise(0.018)
	if cell.Parameters.Integer("streams") > 1 {
		gbits *= v.multi
	}
	perGbit := v.mcpu * noise(0.02)
	start := time.Date(2026, 11, 2, 8, k.Block, planned.Position, 0, time.UTC)
	value := func(name, unit string, better result.Better, scale result.Scale, margin, x float64) result.Value {
		return result.Value{Metric: result.Metric{Name: name, Unit: unit, Better: better, Scale: scale, Margin: margin}, Value: x}
	}
	t := result.Trial{
		Schema: result.SchemaVersion, Block: k.Block, Position: planned.Position, Variant: k.Variant, Cell: k.Cell, Scenario: cell.Scenario,
		Attempt: 1, Status: result.OK, Start: start, End: start.Add(13 * time.Second), Raw: result.RawPath(k, 1),
		Values: []result.Value{
			value("throughput", "bit/s", result.Higher, result.Ratio, 0.03, gbits*1e9),
			value("retransmits", "segments", result.Lower, result.Difference, 0, float64(r.IntN(40)+int(22.6-v.gbits)*25)),
			value("rtt", "s", result.Lower, result.Ratio, 0.10, v.rtt*noise(0.03)),
			value("cpu", "cores", result.Lower, result.Ratio, 0.05, perGbit*gbits/1000),
			value("cpu-per-gbit", "mCPU per Gbit/s", result.Lower, result.Ratio, 0.05, perGbit),
			value("cpu-per-gbit-net", "mCPU per Gbit/s", result.Lower, result.Ratio, 0.05, perGbit*(1-v.own)),
		},
	}
	if v.name != "host" {
		t.Values = append(t.Values,
			value("cni-cpu", "cores", result.Lower, result.Difference, 0.01, v.cniCores*noise(0.1)),
			value("memory-overhead", "bytes", result.Lower, result.Difference, 10<<20, v.memory*noise(0.02)*(1<<20)))
	}
	t.Values = append(t.Values, syntheticDetails(perGbit*gbits/1000, v.own)...)
	t.Missing = map[string]string{"energy": "the machine has no RAPL that can be read"}
	if k.Block == 2 && v.name == "flannel-vxlan" {
		lost := []string{"cpu", "cpu-user", "cpu-system", "cpu-softirq"}
		t.Values = slices.DeleteFunc(t.Values, func(v result.Value) bool { return slices.Contains(lost, v.Name) })
		for _, name := range lost {
			t.Missing[name] = "the probe on node-1 was ended by SIGKILL"
		}
	}
	t.Values[0].Help = "Received by the server's sockets over the window, all streams added up."
	if perGbit*gbits/1000 > 1.9 {
		t.Marks = []result.Mark{{Name: "cpu-saturated", Detail: "more than 95 % of the machine was busy"}}
	}
	return t
}

// syntheticDetails splits busy cores by mode, and adds a counter.
func syntheticDetails(busy, own float64) []result.Value {
	part := func(name string, share float64) result.Value {
		return result.Value{Metric: result.Metric{
			Name: name, Unit: "cores", Better: result.Lower, Scale: result.Difference, Margin: 0.05, Group: result.CPUByMode,
			Help: "busy in the kernel's mode " + strings.TrimPrefix(name, "cpu-"),
		}, Value: busy * share}
	}
	return []result.Value{
		part("cpu-user", 0.1*own), part("cpu-system", 0.9*own), part("cpu-softirq", 1-own),
		{Metric: result.Metric{
			Name: "softnet-squeezes", Unit: "1/s", Better: result.Lower, Scale: result.Difference, Margin: 10, Group: "network stack",
		}, Value: math.Round(10 * busy)},
	}
}

// syntheticCampaign draws a journal in which one trial failed twice, one was
// invalid and then repeated, and one is missing.
func syntheticCampaign(variants []syntheticVariant, blocks int) (plan.Plan, []result.Trial) {
	p := syntheticPlan(variants, blocks)
	r := rand.New(rand.NewPCG(7, 11))
	var trials []result.Trial
	for _, planned := range p.Trials() {
		var variant syntheticVariant
		for _, v := range variants {
			if v.name == planned.Variant.Name {
				variant = v
			}
		}
		t := syntheticTrial(r, variant, planned)
		again := t
		again.Attempt = 2
		switch result.KeyOf(planned) {
		case (result.Key{Block: 3, Variant: "cilium-kpr", Cell: "tcp-pod-single"}):
			t.Status, t.Reason, t.Values, t.Marks = result.Failed, "server pod was not ready after 2m0s: ImagePullBackOff <registry unreachable>", nil, nil
			t.Missing = nil
			again = t
			again.Attempt = 2
			trials = append(trials, t, again)
		case (result.Key{Block: 6, Variant: "flannel-vxlan", Cell: "tcp-pod-single"}):
			t.Status, t.Reason = result.Invalid, "0.41 cores of foreign CPU, limit 0.1"
			trials = append(trials, t, again)
		case (result.Key{Block: 8, Variant: "cilium-kpr", Cell: "tcp-pod-multi.streams=8"}):
		default:
			trials = append(trials, t)
		}
	}
	return p, trials
}

// syntheticSeries draws a throughput and a busy point for every second of
// every ok trial, or more often.
func syntheticSeries(trials []result.Trial, perSecond int) []Series {
	r := rand.New(rand.NewPCG(3, 5))
	var all []Series
	for _, t := range trials {
		if t.Status != result.OK {
			continue
		}
		throughput, _ := t.Value("throughput")
		busy, _ := t.Value("cpu")
		s := Series{Cell: t.Cell, Variant: t.Variant, Block: t.Block}
		for i := 1; i <= 10*perSecond; i++ {
			at := float64(i) / float64(perSecond)
			s.Throughput = append(s.Throughput, Point{at, throughput.Value / 1e9 * (1 + 0.03*r.NormFloat64())})
			s.Busy = append(s.Busy, Point{at, busy.Value * (1 + 0.02*r.NormFloat64())})
		}
		all = append(all, s)
	}
	return all
}

// syntheticPlugins has one whose catalog entry nobody has tried.
var syntheticPlugins = map[string]result.Variant{
	"host":            {Plugin: "host network"},
	"flannel-vxlan":   {Plugin: "Flannel", Version: "v0.28.4", Verified: "installed"},
	"flannel-host-gw": {Plugin: "Flannel", Version: "v0.28.4", Verified: "installed"},
	"cilium-kpr":      {Plugin: "Cilium", Version: "1.18.5"},
}

func syntheticEnvironment(p plan.Plan) result.Environment {
	e := result.Environment{
		Schema: result.SchemaVersion, Created: time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC), Cnibench: "v0.1.0", Topology: "lab",
		Machine: result.Machine{
			Kernel: "6.18.5", OS: "Debian GNU/Linux 12", CPU: "Synthetic CPU @ 2.0 GHz", Cores: 2, MemoryBytes: 24 << 30, CgroupVersion: 1,
			IRQTime: "tick", Sysctls: map[string]string{"net.core.rmem_max": "212992", "net.ipv4.tcp_congestion_control": "bbr"},
		},
		Variants: map[string]result.Variant{},
	}
	for _, v := range p.Variants {
		mtu := "1500"
		if v.Name == "flannel-vxlan" || v.Name == "cilium-kpr" {
			mtu = "1450"
		}
		e.Variants[v.Name] = result.Variant{
			Name: v.Name, KubeProxy: "iptables",
			Plugin: syntheticPlugins[v.Name].Plugin, Version: v.Version, Verified: syntheticPlugins[v.Name].Verified,
			Versions:   map[string]string{"kubernetes": "v1.34.4", "iperf3": "3.12"},
			Digests:    map[string]string{"manifest of " + v.Name: "sha256:9f2c0000000000000000000000000000000000000000000000000000000000bb"},
			Facts:      map[string]string{"pod MTU": mtu, "path MTU": mtu},
			PodSysctls: map[string]string{"net.ipv4.tcp_congestion_control": "cubic"},
			Nodes: []result.Node{
				{Name: "node-1", Address: "198.18.0.11", Kernel: "6.18.5", MTU: 1500},
				{Name: "node-2", Address: "198.18.0.12", Kernel: "6.18.5", MTU: 1500},
			},
		}
	}
	return e
}

// synthetic is the campaign that the golden files show.
func synthetic(t testing.TB) (analysis.Analysis, result.Environment, []Series) {
	t.Helper()
	// Without flannel-host-gw, so that the golden files stay readable.
	variants := append([]syntheticVariant{syntheticVariants[0]}, syntheticVariants[2:]...)
	p, trials := syntheticCampaign(variants, 8)
	env := syntheticEnvironment(p)
	a, err := analysis.Analyze(p, trials, env)
	if err != nil {
		t.Fatal(err)
	}
	return a, env, syntheticSeries(trials, 1)
}
