package doctor

import (
	"time"

	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

// healthyNode is a node with nothing wrong.
func healthyNode(name string) Node {
	f := facts.New()
	for fact, value := range map[string]string{
		"uplink.speed": "25000 Mbit/s", "cpu.governor": "performance", "cpu.turbo": "off", "cpu.smt": "off",
		"cpu.numa": "0: 0-7; 1: 8-15", "uplink.numa": "0", "uplink.irq.cpus": "CPUs 0-3 (0-1); 4 (2)", "uplink.irq.count": "3",
		"uplink.mtu": "9000", "uplink.kind": "device",
		"uplink.offload.tx-tcp-segmentation": "on", "uplink.offload.tx-generic-segmentation": "on", "uplink.offload.rx-gro": "on", "uplink.offload.tx-scatter-gather": "on",
	} {
		f.Set(fact, value)
	}
	return Node{
		Name: name, Load: true, Worker: true, Ready: true, CPUs: 16, MemoryMiB: 32 << 10,
		Kubelet: "v1.34.4", Runtime: "containerd://2.1", Kernel: "6.12.1", OS: "Debian 13", Facts: f,
		Vitals: &vitals.Report{
			BootID: "boot of " + name, Link: "eth0", Network: "10.0.0.0/24", Packets: 1e6, Errors: map[string]uint64{},
			Clock: &vitals.Clock{Synchronized: true, MaxError: time.Millisecond}, Conntrack: &vitals.Conntrack{Entries: 100, Limit: 262144},
			Disks: []vitals.Disk{{Name: "nvme0n1"}}, Rules: map[string]int{"kube-proxy": 40}, Uptime: 48 * time.Hour,
		},
		Skew: &Skew{-10 * time.Millisecond, 10 * time.Millisecond}, Missing: map[Part]string{},
	}
}

// healthy is a snapshot in which every check is fine.
func healthy(kind Kind) Snapshot {
	agents := 0.02
	s := Snapshot{
		Kind: kind, Place: "here", Deep: true, Kubernetes: "v1.34.4", KubeProxy: "iptables",
		Nodes: []Node{healthyNode("a"), healthyNode("b"), healthyNode("c")},
		Plugin: Plugin{
			Title: "Cilium", DaemonSet: "kube-system/cilium", Settings: map[string]string{"routing-mode": "native", "enable-hubble": "false"},
			Drops: map[string][]string{}, Dropped: map[string]float64{}, Tables: map[string]float64{"ct4_global": 0.01},
		},
		Pods:     []Pod{{Namespace: "kube-system", Name: "cilium-1", Node: "a", Agent: true, System: true, Ready: true}},
		Services: []Service{{Namespace: "kube-system", Name: "kube-dns", Ready: 2}},
		HostPath: &Path{From: "a", To: "b", Reached: true, Bytes: 9000, Route: 9000, Interface: "eth0", LinkMTU: 9000},
		PodPath:  &Path{From: "a pod on a", To: "a pod on b", Reached: true, Bytes: 8950, Route: 8950, Interface: "eth0", LinkMTU: 9000},
		Service:  &Attempt{What: "a Service", Done: true}, DNS: &DNS{Address: "10.96.0.10", Answers: true},
		Ends: map[string]string{"client on a": "cubic", "server on b": "cubic"}, Iperf3: "3.16",
		Idle:       map[string]Idle{"a": {Window: 4 * time.Second, Cores: 16, Busy: 0.1, Agents: &agents}},
		LabMachine: &Attempt{What: "all of it", Done: true},
		Burst:      &Burst{From: "a", To: "b", Rest: 20 * time.Second, Interval: time.Second, Rates: steady(30, 9e9)},
		Missing:    map[Part]string{},
	}
	if kind == Machine {
		s.Nodes = s.Nodes[:1]
	}
	return s
}

// steady are rates that vary by one per cent.
func steady(n int, rate float64) []float64 {
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = rate * (1 + 0.01*float64(i%3-1))
	}
	return rates
}

// ignorant is a snapshot of which nothing could be found out.
func ignorant(kind Kind) Snapshot {
	s := Snapshot{Kind: kind, Place: "here", Deep: true, Missing: map[Part]string{}}
	for _, p := range []Part{
		PartPods, PartPolicies, PartServices, PartPlugin, PartLogs, PartCounters, PartHostPath, PartPodPath, PartService,
		PartDNS, PartEnds, PartIperf3, PartBurst, PartIdle,
	} {
		s.Missing[p] = "no " + string(p)
	}
	for _, name := range []string{"a", "b", "c"} {
		s.Nodes = append(s.Nodes, Node{Name: name, Load: true, Worker: true, Ready: true, Facts: facts.New(), Missing: map[Part]string{
			PartFacts: "no facts", PartVitals: "no vitals",
		}})
	}
	return s
}
