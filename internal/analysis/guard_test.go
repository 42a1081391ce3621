package analysis

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/result"
)

// someEnvironment is a lab in which one variant ran.
func someEnvironment() result.Environment {
	v := twoNodes(fast)
	v.Name, v.Plugin, v.Version = "flannel-vxlan", "Flannel", "v0.28.4"
	v.Versions = map[string]string{"kubernetes": "v1.34.4", "flannel-cni": "v0.9.1"}
	v.Digests = map[string]string{"registry.local:5000/tools:lab": "sha256:1", "ghcr.io/flannel:v0.28.4": "sha256:2", "manifests": "sha256:3"}
	v.Facts = map[string]string{
		"pod MTU": "1450", "path MTU": "1450", "installed at": "2026-01-01T00:00:00Z", "canary": "seen in 250 packets: not encrypted",
		"encapsulation seen": "vxlan, 50 bytes per packet, link to pod bytes 1.049",
	}
	v.KubeProxy = "iptables"
	v.PodSysctls = map[string]string{"net.ipv4.tcp_congestion_control": "cubic"}
	v.Path = []result.Hop{{Place: "client pod", Link: "eth0", MTU: 1450}, {Place: "path", MTU: 1450}}
	v.Ends = map[string]result.Facts{"client": {Values: map[string]string{"pod.mtu": "1450", "pod.name": "eth0"}}}
	for i := range v.Nodes {
		v.Nodes[i].Address, v.Nodes[i].Kernel, v.Nodes[i].MTU = fmt.Sprint("198.18.0.1", i), "6.12.1", 1500
		v.Nodes[i].Sysctls = map[string]string{"net.ipv4.tcp_ecn": "2"}
	}
	return result.Environment{
		Topology: "lab", Cnibench: "v1", Created: time.Unix(0, 0),
		Machine:  result.Machine{Kernel: "6.12.1", Cores: 2, MemoryBytes: 24 << 30, Sysctls: map[string]string{"vm.swappiness": "60"}},
		Variants: map[string]result.Variant{v.Name: v},
	}
}

func TestEnvironmentDifferences(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*result.Environment, *result.Variant)
		want   []string
	}{
		{"the same", func(*result.Environment, *result.Variant) {}, nil},
		{"what tells runs apart", func(e *result.Environment, v *result.Variant) {
			e.Created, e.Machine.MemoryBytes = time.Unix(1e9, 0), 24<<30-50<<20
			v.Facts["installed at"], v.Facts["canary"] = "2027-01-01T00:00:00Z", "seen in 13 packets: not encrypted"
			v.Facts["encapsulation seen"] = "vxlan, 50 bytes per packet, link to pod bytes 1.051"
			v.LoadNodes = []string{"left", "right"}
			for i, name := range v.LoadNodes {
				v.Nodes[i].Name, v.Nodes[i].Address = name, "10.0.0.1"
				v.Kernels[i].Nodes = []string{name}
			}
			v.Path[0].Link, v.Ends["client"].Values["pod.name"] = "eth7", "eth7"
		}, nil},
		{"not recorded", func(e *result.Environment, v *result.Variant) {
			e.Machine = result.Machine{}
			*v = result.Variant{Name: v.Name}
		}, nil},
		{"another variant only", func(e *result.Environment, v *result.Variant) {
			v.KubeProxy = "nftables"
			e.Variants["other"] = *v
			v.KubeProxy = "iptables"
		}, nil},
		{"kernel", func(e *result.Environment, v *result.Variant) {
			e.Machine.Kernel, v.Nodes[0].Kernel, v.Nodes[1].Kernel = "6.18.4", "6.18.4", "6.18.4"
		}, []string{"kernel.release: 6.12.1; 6.18.4 [machine; flannel-vxlan (client node, server node)]"}},
		{"one node", func(_ *result.Environment, v *result.Variant) {
			v.Kernels[1].Values["cpu.governor"], v.Nodes[1].MTU = slow, 9000
			v.Nodes[1].Sysctls["net.ipv4.tcp_ecn"] = "1"
		}, []string{
			"cpu.governor: performance; powersave [flannel-vxlan (server node)]",
			"sysctl.net.ipv4.tcp_ecn: 2; 1 [flannel-vxlan (server node)]",
			"uplink.mtu: 1500; 9000 [flannel-vxlan (server node)]",
		}},
		{"plugin", func(_ *result.Environment, v *result.Variant) {
			v.Version, v.KubeProxy, v.Facts["canary"] = "v0.29.0", "nftables", "not in 3 packets: encrypted"
			v.Digests = map[string]string{"registry.local:5000/tools:lab": "sha256:9", "ghcr.io/flannel:v0.29.0": "sha256:8", "more:1": "sha256:7"}
			v.Path[1].MTU, v.Ends["client"].Values["pod.mtu"], v.Facts["pod MTU"], v.Facts["path MTU"] = 1400, "1400", "1400", "1400"
		}, []string{
			"digest.ghcr.io/flannel: v0.28.4@sha256:2; v0.29.0@sha256:8 [flannel-vxlan]",
			"digest.registry.local:5000/tools: lab@sha256:1; lab@sha256:9 [flannel-vxlan]",
			"kube-proxy: iptables; nftables [flannel-vxlan]",
			"path.mtu: 1450; 1400 [flannel-vxlan]",
			"plugin.version: v0.28.4; v0.29.0 [flannel-vxlan]",
			"pod.mtu: 1450; 1400 [flannel-vxlan (client pod)]",
			"proof.encryption: not encrypted; encrypted [flannel-vxlan]",
		}},
		{"whole environment", func(e *result.Environment, v *result.Variant) {
			e.Topology, e.Cnibench, e.Machine.Kernel = "cluster", "v2", "of a laptop"
			v.Versions["kubernetes"], v.LoadNodes = "v1.35.0", []string{"a"}
		}, []string{
			"load.nodes: 2; 1 [flannel-vxlan]", "topology: lab; cluster [machine]",
			"version.cnibench: v1; v2 [machine]", "version.kubernetes: v1.34.4; v1.35.0 [flannel-vxlan]",
		}},
		{"unreadable fact", func(_ *result.Environment, v *result.Variant) {
			v.Kernels[0].Facts = result.Facts{Missing: map[string]string{"cpu": "permission denied"}}
		}, []string{"cpu.governor: performance; unknown: permission denied [flannel-vxlan (client node)]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := someEnvironment()
			v := b.Variants["flannel-vxlan"]
			tt.change(&b, &v)
			b.Variants["flannel-vxlan"] = v
			if diff := cmp.Diff(tt.want, said(EnvironmentDifferences(someEnvironment(), b))); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

func said(list []EnvironmentDifference) []string {
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%s: %s; %s [%s]", d.Name, d.A, d.B, d.Where()))
	}
	return lines
}

func TestVariantDifferencesLeaveOutThePlugin(t *testing.T) {
	a, b := someEnvironment().Variants["flannel-vxlan"], someEnvironment().Variants["flannel-vxlan"]
	b.Name, b.Plugin, b.Version, b.KubeProxy = "cilium", "Cilium", "1.15.19", "none"
	b.Digests = map[string]string{"registry.local:5000/tools:lab": "sha256:9", "manifests": "sha256:8"}
	b.PodSysctls["net.ipv4.tcp_congestion_control"], b.Nodes[0].Sysctls["net.ipv4.tcp_ecn"] = "bbr", "1"
	b.Versions["kubernetes"] = "v1.35.0"
	b.Kernels[0].Values["pod-link.mtu"], b.Kernels[0].Values["link.cilium_host.mtu"] = "1500", "1500"
	b.Kernels[0].Values["cpu.governor"], b.Kernels[0].Values["sysctl.vm.swappiness"] = slow, "1"
	want := []string{
		"cpu.governor: performance; powersave [cilium (client node)]",
		"digest.registry.local:5000/tools: lab@sha256:1; lab@sha256:9 [cilium]",
		"version.kubernetes: v1.34.4; v1.35.0 [cilium]",
	}
	if diff := cmp.Diff(want, said(VariantDifferences(a, b))); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

func TestDifferenceIn(t *testing.T) {
	machine := EnvironmentDifference{Places: []Place{{}}}
	host := EnvironmentDifference{Places: []Place{{Variant: "host", Node: "client node"}}}
	if !machine.In("host") || !host.In("host") || host.In("flannel") {
		t.Errorf("in: %t %t %t", machine.In("host"), host.In("host"), host.In("flannel"))
	}
}
