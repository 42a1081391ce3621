package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/probe/vitals"
)

var kinds = []Kind{Cluster, Lab, Machine}

func TestHealthyIsOK(t *testing.T) {
	for _, kind := range kinds {
		r := Judge(healthy(kind))
		if !r.Fit {
			t.Errorf("%s: a healthy place is unfit", kind)
		}
		for _, f := range r.Findings {
			if f.Severity != OK {
				t.Errorf("%s: %s at %q is %s: %s", kind, f.Check, f.Where, f.Severity, f.Evidence)
			}
		}
	}
}

// What nobody could find out is unknown with a reason; three nodes that are
// ready are all that is known here.
func TestIgnoranceIsNotOK(t *testing.T) {
	known := []string{"spec.workers", "nodes.ready"}
	for _, kind := range kinds {
		asked := map[string]bool{}
		for _, f := range Judge(ignorant(kind)).Findings {
			asked[f.Check] = true
			if f.Severity != Unknown && !slices.Contains(known, f.Check) {
				t.Errorf("%s: %s is %s though nothing is known: %s", kind, f.Check, f.Severity, f.Evidence)
			}
			if f.Evidence == "" {
				t.Errorf("%s: %s is unknown without a reason", kind, f.Check)
			}
		}
		for _, c := range Checks() {
			if slices.Contains(c.Kinds, kind) && !asked[c.ID] {
				t.Errorf("%s: %s found nothing, not even that it does not know", kind, c.ID)
			}
		}
	}
	// The zero value must not crash, either.
	for _, kind := range kinds {
		Judge(Snapshot{Kind: kind, Deep: true})
	}
}

// sick says what is wrong with a healthy cluster, and what must be found.
type sick struct {
	check    string
	severity Severity
	where    string
	evidence string // a part of it
	make     func(*Snapshot)
}

func fact(name, value string) func(*Snapshot) {
	return func(s *Snapshot) { s.Nodes[0].Facts.Set(name, value) }
}

func agent(change func(*Pod)) func(*Snapshot) {
	return func(s *Snapshot) { change(&s.Pods[0]) }
}

func settings(plugin string, values map[string]string) func(*Snapshot) {
	return func(s *Snapshot) { s.Plugin.Title, s.Plugin.Settings = plugin, values }
}

var sicknesses = []sick{
	{"spec.workers", Warning, "", "2 workers", func(s *Snapshot) { s.Nodes = s.Nodes[:2] }},
	{"spec.workers", Warning, "", "2 workers", func(s *Snapshot) { s.Nodes[2].Worker = false }},
	{"spec.cpu", Warning, "a", "2 CPUs", func(s *Snapshot) { s.Nodes[0].CPUs = 2 }},
	{"spec.memory", Warning, "a", "8.0 GiB", func(s *Snapshot) { s.Nodes[0].MemoryMiB = 8 << 10 }},
	{"spec.nic", Warning, "a", "1000 Mbit/s", fact("uplink.speed", "1000 Mbit/s")},
	{"spec.nic", Unknown, "a", "fast", fact("uplink.speed", "fast")},
	{"spec.disk", Warning, "a", "sda", func(s *Snapshot) { s.Nodes[0].Vitals.Disks = []vitals.Disk{{Name: "sda", Rotational: true}} }},
	{"spec.disk", Unknown, "a", "vda", func(s *Snapshot) { s.Nodes[0].Vitals.Disks = []vitals.Disk{{Name: "vda", Rotational: true}} }},
	{"spec.kubernetes", Warning, "", "v1.27.9-eks", func(s *Snapshot) { s.Kubernetes = "v1.27.9-eks-1" }},
	{"spec.kubernetes", Unknown, "", "newest", func(s *Snapshot) { s.Kubernetes = "newest" }},
	{"spec.iperf3", Unfit, "", "no such file", func(s *Snapshot) { s.Iperf3 = "no such file (no version)" }},
	{"cpu.governor", Warning, "a", "powersave (0-3)", fact("cpu.governor", "performance (4-7); powersave (0-3)")},
	{"cpu.turbo", Info, "a", "turbo is on", fact("cpu.turbo", "on")},
	{"cpu.smt", Info, "a", "SMT is on", fact("cpu.smt", "on")},
	{"cpu.numa", Warning, "a", "memory node 0", fact("uplink.irq.cpus", "CPUs 0-3; CPUs 9")},
	{"cpu.numa", Unknown, "a", "2 memory nodes", func(s *Snapshot) { s.Nodes[0].Facts.Miss("uplink.numa", "no bus") }},
	{"cpu.steal", Warning, "a", "5.0 %", func(s *Snapshot) { s.Idle["a"] = Idle{Window: time.Second, Cores: 2, Steal: 0.1} }},
	{"cpu.foreign", Warning, "a", "1.50 of 2", func(s *Snapshot) { s.Idle["a"] = Idle{Window: time.Second, Cores: 2, Busy: 1.5} }},
	{"cpu.smt", OK, "a", "the CPUs have no SMT", fact("cpu.smt", "notsupported")},
	{"cpu.foreign", Unknown, "a", "CPUs", func(s *Snapshot) { s.Idle["a"] = Idle{Window: time.Second, Busy: 1.5} }},
	{"cni.cpu", Warning, "a", "0.90 cores", func(s *Snapshot) { n := 0.9; s.Idle["a"] = Idle{Cores: 2, Agents: &n} }},
	{"cni.cpu", Unknown, "a", "not known", func(s *Snapshot) { s.Idle["a"] = Idle{Cores: 2} }},
	{"time.sync", Warning, "a", "disciplines", func(s *Snapshot) { s.Nodes[0].Vitals.Clock.Synchronized = false }},
	{"time.sync", Warning, "a", "2s", func(s *Snapshot) { s.Nodes[0].Vitals.Clock.MaxError = 2 * time.Second }},
	{"time.skew", Unfit, "a and b", "1.98s to 2.02s", func(s *Snapshot) { s.Nodes[1].Skew = &Skew{1990 * time.Millisecond, 2010 * time.Millisecond} }},
	{"time.skew", Warning, "a and b", "apart", func(s *Snapshot) { s.Nodes[1].Skew = &Skew{-300 * time.Millisecond, -290 * time.Millisecond} }},
	{"time.skew", Unknown, "a and b", "too long", func(s *Snapshot) { s.Nodes[1].Skew = &Skew{-5 * time.Second, 0} }},
	{"time.skew", OK, "a and b", "one kernel", func(s *Snapshot) {
		s.Nodes[1].Skew, s.Nodes[1].Vitals.BootID = nil, s.Nodes[0].Vitals.BootID
	}},
	{"tcp.congestion", Unfit, "", "bbr", func(s *Snapshot) { s.Ends["server on b"] = "bbr" }},
	{"mtu.links", Warning, "", "b: 9000", fact("uplink.mtu", "1500")},
	{"mtu.path", Unfit, "between nodes, a to b", "largest that came back 1500", func(s *Snapshot) { s.HostPath.Bytes = 1500 }},
	{"mtu.path", Unfit, "between pods, a pod on a to a pod on b", "1400", func(s *Snapshot) { s.PodPath.Bytes = 1400 }},
	{"mtu.path", Unfit, "between pods, a pod on a to a pod on b", "no answer", func(s *Snapshot) { s.PodPath.Reached, s.PodPath.Why = false, "no answer" }},
	{"mtu.path", Info, "between pods, a pod on a to a pod on b", "1450", func(s *Snapshot) { s.PodPath.Bytes, s.PodPath.Route = 1450, 1450 }},
	{"mtu.jumbo", Info, "a", "1500", fact("uplink.mtu", "1500")},
	{"nic.offloads", Warning, "a", "tx-tcp-segmentation", fact("uplink.offload.tx-tcp-segmentation", "off [fixed]")},
	{"nic.offloads", Warning, "a and b", "rx-gro", fact("uplink.offload.rx-gro", "off")},
	{"nic.queues", Warning, "a", "all 4", func(s *Snapshot) { fact("uplink.irq.cpus", "CPUs 0")(s); fact("uplink.irq.count", "4")(s) }},
	{"nic.errors", Warning, "a", "rx_crc_errors 70", func(s *Snapshot) { s.Nodes[0].Vitals.Errors["rx_crc_errors"] = 70 }},
	{"nic.errors", OK, "a", "few", func(s *Snapshot) { s.Nodes[0].Vitals.Errors["rx_crc_errors"], s.Nodes[0].Vitals.Packets = 1, 1e9 }},
	{"nic.errors", Unknown, "a", "no packet", func(s *Snapshot) { s.Nodes[0].Vitals.Packets = 0 }},
	{"net.conntrack", Warning, "a", "600 of 1000", func(s *Snapshot) { s.Nodes[0].Vitals.Conntrack = &vitals.Conntrack{Entries: 600, Limit: 1000} }},
	{"net.conntrack", Unfit, "a", "999 of 1000", func(s *Snapshot) { s.Nodes[0].Vitals.Conntrack = &vitals.Conntrack{Entries: 999, Limit: 1000} }},
	{"net.shaping", Warning, "a to b", "10.00 Gbit/s for 10s, then 5.00", func(s *Snapshot) {
		s.Burst.Rates = slices.Concat(steady(10, 10e9), steady(40, 5e9))
	}},
	{"net.shaping", Unknown, "a to b", "2 intervals", func(s *Snapshot) { s.Burst.Rates = steady(2, 1e9) }},
	{"machine.lab", Unfit, "", "no root", func(s *Snapshot) { s.Kind, s.LabMachine = Machine, &Attempt{Why: "no root", Fix: "sudo"} }},
	{"nodes.ready", Unfit, "a", "no network", func(s *Snapshot) { s.Nodes[0].Ready, s.Nodes[0].Message = false, "no network" }},
	{"nodes.ready", Warning, "c", "no network", func(s *Snapshot) {
		s.Nodes[2].Ready, s.Nodes[2].Message, s.Nodes[2].Load = false, "no network", false
	}},
	{"nodes.ready", Unfit, "a", "DiskPressure", func(s *Snapshot) { s.Nodes[0].Pressures = []string{"DiskPressure"} }},
	{"nodes.versions", Warning, "", "kernel: 5.15.0 (a), 6.12.1 (b, c)", func(s *Snapshot) { s.Nodes[0].Kernel = "5.15.0" }},
	{"nodes.versions", Warning, "a", "API server v1.34.4", func(s *Snapshot) { s.Nodes[0].Kubelet = "v1.33.9" }},
	{"kernel.log", Warning, "a", "table full", func(s *Snapshot) {
		s.Nodes[0].Vitals.Complaints = []vitals.Complaint{{About: "conntrack table full", At: 47 * time.Hour, Text: "nf_conntrack: table full"}}
	}},
	{"kernel.log", OK, "a", "nothing", func(s *Snapshot) { // two days ago
		s.Nodes[0].Vitals.Complaints = []vitals.Complaint{{About: "conntrack table full", At: time.Hour, Text: "nf_conntrack: table full"}}
	}},
	{"cni.agents", Unfit, "kube-system/cilium-1 on a", "CrashLoopBackOff", agent(func(p *Pod) { p.Ready, p.State = false, "CrashLoopBackOff" })},
	{"cni.agents", Unknown, "", "no plugin", agent(func(p *Pod) { p.Agent = false })},
	{"cni.restarts", Warning, "kube-system/cilium-1 on a", "3 restarts, the last container ended with OOMKilled", agent(func(p *Pod) { p.Restarts, p.LastReason = 3, "OOMKilled" })},
	{"cni.limits", Warning, "kube-system/cilium-1 on a", "CPU limit agent: 100m", agent(func(p *Pod) { p.CPULimit = "agent: 100m" })},
	{"cni.drops", Warning, "cilium-1", "DROP from", func(s *Snapshot) { s.Plugin.Drops["cilium-1"] = []string{"xx DROP from 10.0.0.1"} }},
	{"cni.drops", Warning, "", "Policy denied: 7", func(s *Snapshot) { s.Plugin.Dropped["Policy denied"] = 7 }},
	{"cni.drops", Unknown, "counters", "no metrics", func(s *Snapshot) { s.Plugin.Dropped, s.Plugin.DroppedAbsent = nil, "no metrics" }},
	{"cni.maps", Warning, "", "nat, 85.0 %", func(s *Snapshot) { s.Plugin.Tables["nat"] = 0.85 }},
	{"cni.maps", Unfit, "", "nat, 99.0 %", func(s *Snapshot) { s.Plugin.Tables["nat"] = 0.99 }},
	{"cni.maps", Warning, "", "ct on b, 81.0 %", func(s *Snapshot) { s.Plugin.Tables["ct on b"] = 0.81 }},
	{"cni.maps", OK, "", "ct on b, 80.0 %", func(s *Snapshot) { s.Plugin.Tables["ct on b"] = 0.7999 }},
	{"cni.maps", Unknown, "ct on b", "no permission", func(s *Snapshot) { s.Plugin.TablesUnread = map[string]string{"ct on b": "no permission"} }},
	{"proxy.rules", Warning, "a", "Calico 6000", func(s *Snapshot) { s.Nodes[0].Vitals.Rules["Calico"] = 6000 }},
	{"features.unneeded", Info, "kube-system/cilium", "Hubble", settings("Cilium", map[string]string{"enable-hubble": "true"})},
	{"features.unneeded", Info, "kube-system/cilium", "kube-proxy runs too", settings("Cilium", map[string]string{"kube-proxy-replacement": "true"})},
	{"features.unneeded", Info, "kube-system/cilium", "tunnel", settings("Cilium", map[string]string{"routing-mode": "tunnel"})},
	{"features.unneeded", Info, "kube-system/cilium", "XDP", settings("Cilium", map[string]string{"bpf-lb-acceleration": "native"})},
	{"features.unneeded", Info, "kube-system/cilium", "L7 proxy", settings("Cilium", map[string]string{"enable-l7-proxy": "true"})},
	{"features.unneeded", OK, "kube-system/cilium", "none of those", func(s *Snapshot) { // the campaign needs it
		s.Profile = Profile{Given: true, Policies: true}
		s.Plugin.Settings = map[string]string{"enable-l7-proxy": "true"}
	}},
	{"features.unneeded", Info, "kube-system/cilium", "tunnel", settings("Flannel", map[string]string{"backend": "vxlan"})},
	{"features.unneeded", OK, "kube-system/cilium", "none of those", func(s *Snapshot) { // nodes in two networks need a tunnel
		settings("Flannel", map[string]string{"backend": "vxlan"})(s)
		s.Nodes[1].Vitals.Network = "10.1.0.0/24"
	}},
	{"features.unneeded", Info, "kube-system/cilium", "IPIP", settings("Calico", map[string]string{"ipipMode": "Always"})},
	{"features.unneeded", Unknown, "", "Antrea", settings("Antrea", nil)},
	{"pods.path", Unfit, "a pod on a to a pod on b", "timeout", func(s *Snapshot) { s.PodPath.Reached, s.PodPath.Why = false, "timeout" }},
	{"pods.foreign", Unfit, "x/y on a", "workload", func(s *Snapshot) {
		s.Pods = append(s.Pods, Pod{Namespace: "x", Name: "y", Node: "a", Foreign: true})
	}},
	{"pods.foreign", Warning, "x/y on a", "workload", func(s *Snapshot) {
		s.Pods, s.AllowForeign = append(s.Pods, Pod{Namespace: "x", Name: "y", Node: "a", Foreign: true}), true
	}},
	{"cluster.pods", Warning, "kube-system/coredns", "Pending", func(s *Snapshot) {
		s.Pods = append(s.Pods, Pod{Namespace: "kube-system", Name: "coredns", System: true, State: "Pending"})
	}},
	{"cluster.pods", Info, "kube-system/coredns", "1 restart", func(s *Snapshot) {
		s.Pods = append(s.Pods, Pod{Namespace: "kube-system", Name: "coredns", System: true, Ready: true, Restarts: 1})
	}},
	{"policy.blocking", Warning, "cnibench/deny", "all ingress and egress; the probe's connections passed", func(s *Snapshot) { s.Policies = []Policy{denyAll} }},
	{"policy.blocking", Unfit, "cnibench/deny", "all ingress and egress", func(s *Snapshot) { s.Policies, s.PodPath.Reached = []Policy{denyAll}, false }},
	{"policy.blocking", Unfit, "deny", "with 2 rules", func(s *Snapshot) {
		s.Policies, s.PodPath = []Policy{{Kind: "GlobalNetworkPolicy", Name: "deny", Ingress: true, Rules: 2}}, nil
	}},
	{"policy.blocking", Warning, "cnibench/deny", "all ingress", func(s *Snapshot) { // others may not be looked at
		s.Policies, s.Missing[PartPolicies] = []Policy{denyAll}, "forbidden"
	}},
	{"policy.blocking", Unknown, "", "forbidden", func(s *Snapshot) { s.Policies, s.Missing[PartPolicies] = []Policy{denyAll}, "forbidden" }},
	{"service.endpoints", Warning, "default/web", "0", nil},
	{"service.path", Unfit, "a Service", "refused", func(s *Snapshot) { s.Service.Done, s.Service.Why = false, "refused" }},
	{"service.path", Warning, "a Service", "refused", func(s *Snapshot) {
		s.Service.Done, s.Service.Why, s.Profile = false, "refused", Profile{Given: true}
	}},
	{"dns.answers", Info, "", "no Service", func(s *Snapshot) { s.DNS = &DNS{Absent: "no Service"} }},
	{"dns.answers", Unfit, "", "no Service", func(s *Snapshot) { s.DNS, s.Profile = &DNS{Absent: "no Service"}, Profile{Given: true, DNS: true} }},
	{"dns.answers", Warning, "10.96.0.10", "timeout", func(s *Snapshot) { s.DNS.Answers, s.DNS.Why = false, "timeout" }},
	{"dns.answers", Unfit, "10.96.0.10", "timeout", func(s *Snapshot) {
		s.DNS.Answers, s.DNS.Why, s.Profile = false, "timeout", Profile{Given: true, DNS: true}
	}},
}

var denyAll = Policy{Kind: "NetworkPolicy", Namespace: "cnibench", Name: "deny", Ingress: true, Egress: true}

func TestSicknessesAreFound(t *testing.T) {
	for _, tt := range sicknesses {
		if tt.make == nil {
			tt.evidence = "no endpoint is ready, 1 are not"
			tt.make = func(s *Snapshot) { s.Services = append(s.Services, Service{"default", "web", 0, 1}) }
		}
		t.Run(tt.check+"/"+tt.evidence, func(t *testing.T) {
			s := healthy(Cluster)
			tt.make(&s)
			r := Judge(s)
			i := slices.IndexFunc(r.Findings, func(f Finding) bool {
				return f.Check == tt.check && f.Severity == tt.severity && f.Where == tt.where && strings.Contains(f.Evidence, tt.evidence)
			})
			if i < 0 {
				t.Fatalf("no %s of %s at %q that says %q; there are %+v", tt.severity, tt.check, tt.where, tt.evidence, of(r, tt.check))
			}
			f := r.Findings[i]
			if told := f.Severity == Unfit || f.Severity == Warning; told && (f.Why == "" || f.Fix == "") {
				t.Errorf("it says neither why nor what mends it: %+v", f)
			}
			if r.Fit != (r.Counts[Unfit] == 0) || tt.severity == Unfit && r.Fit {
				t.Errorf("fit: %t, with %d unfit", r.Fit, r.Counts[Unfit])
			}
		})
	}
}

// Every check has a sickness that it finds, as bad as it says it can be.
func TestEveryCheckIsTested(t *testing.T) {
	for _, c := range Checks() {
		if !slices.ContainsFunc(sicknesses, func(s sick) bool { return s.check == c.ID && s.severity == c.Worst }) {
			t.Errorf("no test makes %s %s", c.ID, c.Worst)
		}
		if slices.ContainsFunc(sicknesses, func(s sick) bool {
			return s.check == c.ID && s.severity != Unknown && slices.Index(Severities, s.severity) < slices.Index(Severities, c.Worst)
		}) {
			t.Errorf("%s finds worse than its worst, %s", c.ID, c.Worst)
		}
	}
}

func of(r Report, check string) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Check != check })
}

// A veth has GRO off by the kernel's own choice.
func TestOffloadsOfVeth(t *testing.T) {
	s := healthy(Lab)
	for i := range s.Nodes {
		s.Nodes[i].Facts.Set("uplink.kind", "veth")
		s.Nodes[i].Facts.Set("uplink.offload.rx-gro", "off")
	}
	for _, f := range of(Judge(s), "nic.offloads") {
		if f.Severity != OK {
			t.Errorf("%+v", f)
		}
	}
}

func TestFactReasons(t *testing.T) {
	n := Node{Facts: facts.New(), Missing: map[Part]string{}}
	n.Facts.Miss("uplink.offload", "the driver does not tell")
	for name, want := range map[string]string{
		"uplink.offload.rx-gro": "the driver does not tell", "uplink.offload": "the driver does not tell", "cpu.smt": "the node does not tell cpu.smt",
	} {
		if _, got := n.fact(name); got != want {
			t.Errorf("%s is missing because %q, want %q", name, got, want)
		}
	}
}

// What is advised for clusters only is no advice for a machine.
func TestForeignCPUAdvice(t *testing.T) {
	for kind, kubectl := range map[Kind]bool{Machine: false, Lab: true, Cluster: true} {
		s := healthy(kind)
		s.Idle = map[string]Idle{"a": {Window: time.Second, Cores: 2, Busy: 1.5}}
		for _, f := range Judge(s).Findings {
			if f.Check == "cpu.foreign" && strings.Contains(f.Fix, "kubectl") != kubectl {
				t.Errorf("on a %s: %s", kind, f.Fix)
			}
		}
	}
}
