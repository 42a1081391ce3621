package cni

import (
	"encoding/json"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/probe/kernel"
)

// readKernel reads what cnibench-probe found on a real kernel: one without
// modules and with few features, and Debian 12's.
func readKernel(t testing.TB, name string) kernel.Report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "kernels", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r kernel.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// twoNodes are nodes of one subnet with a kernel.
func twoNodes(r kernel.Report) (map[string]kernel.Report, Facts) {
	r.Uplink.Prefixes = []netip.Prefix{netip.MustParsePrefix("198.18.0.1/24")}
	facts := Facts{KubeProxy: "iptables", KubeVersion: "v1.34.4-gke.100", Nodes: map[string]cluster.Node{
		"node1": {Name: "node1", Address: "198.18.0.1", PodCIDR: "10.244.0.0/24"},
		"node2": {Name: "node2", Address: "198.18.0.2", PodCIDR: "10.244.1.0/24"},
	}}
	return map[string]kernel.Report{"node1": r, "node2": r}, facts
}

func TestEvaluateOnKernels(t *testing.T) {
	type want struct {
		runs    Runs
		because []string // in all
	}
	needs := func(can ...string) Requires { return Requires{Can: can} }
	for _, tt := range []struct {
		name          string
		requires      Requires
		small, debian want
	}{
		{"vxlan", needs("vxlan", "bridge", "iptables"), want{RunsYes, nil}, want{RunsYes, nil}},
		{"wireguard", needs("wireguard"),
			want{RunsNo, []string{"node1, node2: no wireguard (operation not supported: Unknown device type), CONFIG_WIREGUARD is not set"}}, want{RunsYes, nil}},
		{"geneve over Open vSwitch", Requires{Can: []string{"openvswitch", "geneve"}, Config: []string{"OPENVSWITCH_GENEVE"}},
			want{RunsNo, []string{
				"node1, node2: no openvswitch (no such file or directory), CONFIG_OPENVSWITCH is not set",
				"node1, node2: no geneve (operation not supported: Unknown device type), CONFIG_GENEVE is not set",
				"node1, node2: CONFIG_OPENVSWITCH_GENEVE is not set",
			}}, want{RunsYes, nil}},
		{"ipip", needs("ipip"), want{RunsNo, []string{"node1, node2: no ipip (operation not supported: Unknown device type), CONFIG_NET_IPIP is not set"}}, want{RunsYes, nil}},
		{"ipvs", Requires{Can: []string{"ipvs"}, Modules: []string{"ip_vs"}},
			want{RunsNo, []string{
				"node1, node2: no ipvs (no such file or directory), CONFIG_IP_VS is not set",
				"node1, node2: kernel 6.18.44 has no module ip_vs",
			}}, want{RunsYes, nil}},
		{"br_netfilter", needs("br-netfilter"), want{RunsYes, nil},
			want{RunsNo, []string{"node1, node2: no br-netfilter (module br_netfilter is not loaded: modprobe br_netfilter)"}}},
		{"ipsec", needs("esp"),
			want{RunsNo, []string{"node1, node2: no esp (function not implemented: Requested AEAD algorithm not found), CONFIG_INET_ESP, CONFIG_CRYPTO_GCM are not set"}}, want{RunsYes, nil}},
		{"netkit", needs("netkit"),
			want{RunsNo, []string{"node1, node2: no netkit (operation not supported: Unknown device type), CONFIG_NETKIT is not set"}},
			want{RunsNo, []string{"node1, node2: no netkit (operation not supported: Unknown device type), CONFIG_NETKIT is not set"}}},
		{"soft", Requires{Wants: []string{"NET_SCH_FQ"}},
			want{RunsDegraded, []string{"node1, node2: CONFIG_NET_SCH_FQ is not set, which it can use"}}, want{RunsYes, nil}},
		{"alternative", Requires{Config: []string{"WIREGUARD|VXLAN"}}, want{RunsYes, nil}, want{RunsYes, nil}},
	} {
		for fixture, w := range map[string]want{"no-modules-6.18": tt.small, "debian-6.1": tt.debian} {
			t.Run(tt.name+" on "+fixture, func(t *testing.T) {
				nodes, facts := twoNodes(readKernel(t, fixture))
				v := Evaluate(Entry{Name: tt.name, Requires: tt.requires}, nodes, facts)
				if v.Runs != w.runs {
					t.Errorf("runs: %s", v.Runs)
				}
				if diff := cmp.Diff(append([]string{}, w.because...), v.Because); diff != "" {
					t.Errorf("because (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestEvaluateOne(t *testing.T) {
	good := kernel.Report{
		Release:  "6.1.0-13-amd64",
		Features: map[string]kernel.Answer{"vxlan": {Can: kernel.Yes}},
		Config:   kernel.Config{Source: "/proc/config.gz", Values: map[string]string{"WIREGUARD": "y", "GENEVE": "m", "NET_IPIP": "n"}},
		Modules:  map[string]kernel.Module{"geneve": kernel.Elsewhere, "xt_set": kernel.ModuleUnknown},
		Uplink:   kernel.Uplink{Name: "eth0", Driver: "veth"},
	}
	forbidden := map[string]kernel.Answer{}
	for _, name := range []string{"wireguard", "geneve", "ipip"} {
		forbidden[name] = kernel.Answer{Can: kernel.Unknown, Reason: "operation not permitted"}
	}
	for _, tt := range []struct {
		name    string
		entry   Entry
		change  func(*kernel.Report, *Facts)
		runs    Runs
		because string // the first reason
	}{
		{"nothing asked", Entry{}, nil, RunsYes, ""},
		{"excluded", Entry{Plugin: Plugin{Excluded: "it needs its vendor's cloud"}}, nil, RunsNo, "it needs its vendor's cloud"},
		{"new enough", Entry{Requires: Requires{Kernel: "5.10", Kubernetes: "1.34.4"}}, nil, RunsYes, ""},
		{"old kernel", Entry{Requires: Requires{Kernel: "6.8"}}, nil, RunsNo, "node1, node2: kernel 6.1.0-13-amd64 is older than 6.8"},
		{"old kernel with newer features", Entry{Requires: Requires{Kernel: "5.10"}}, func(r *kernel.Report, _ *Facts) { r.Release = "4.18.0-305.el8" },
			RunsUnknown, "node1, node2: kernel 4.18.0-305.el8 is older than 5.10, but its distribution adds newer features to it"},
		{"old Kubernetes", Entry{Requires: Requires{Kubernetes: "1.35"}}, nil, RunsNo, "Kubernetes is v1.34.4-gke.100, it needs 1.35"},
		{"forbidden trial, built in", Entry{Requires: Requires{Can: []string{"wireguard"}}}, func(r *kernel.Report, _ *Facts) { r.Features = forbidden }, RunsYes, ""},
		{"forbidden trial, not set", Entry{Requires: Requires{Can: []string{"ipip"}}}, func(r *kernel.Report, _ *Facts) { r.Features = forbidden },
			RunsNo, "node1, node2: no ipip: CONFIG_NET_IPIP is not set (trial: operation not permitted)"},
		{"forbidden trial, module not shipped", Entry{Requires: Requires{Can: []string{"geneve"}}}, func(r *kernel.Report, _ *Facts) { r.Features = forbidden },
			RunsNo, "node1, node2: no geneve: CONFIG_GENEVE is a module, and geneve is not among the modules of 6.1.0-13-amd64 (trial: operation not permitted)"},
		{"forbidden trial, no configuration", Entry{Requires: Requires{Can: []string{"wireguard"}}}, func(r *kernel.Report, _ *Facts) {
			r.Features, r.Config = forbidden, kernel.Config{Unknown: "no file"}
		}, RunsUnknown, "node1, node2: wireguard could not be tried (operation not permitted), and the kernel's configuration is unknown: no file, so CONFIG_WIREGUARD is unknown"},
		{"no configuration", Entry{Requires: Requires{Config: []string{"WIREGUARD"}}}, func(r *kernel.Report, _ *Facts) { r.Config = kernel.Config{Unknown: "no file"} },
			RunsUnknown, "node1, node2: the kernel's configuration is unknown: no file, so CONFIG_WIREGUARD is unknown"},
		{"module nowhere listed", Entry{Requires: Requires{Modules: []string{"xt-set"}}}, nil,
			RunsUnknown, "node1, node2: nothing tells whether the kernel has module xt-set: /lib/modules/6.1.0-13-amd64 is not there"},
		{"driver", Entry{Requires: Requires{Drivers: []string{"mlx5_core", "ice"}}}, nil, RunsNo, "node1, node2: eth0 is driven by veth; it needs one of mlx5_core, ice"},
		{"port in use", Entry{Encapsulation: Encapsulation{Port: "8472/udp"}}, func(r *kernel.Report, _ *Facts) { r.Taken = []string{"8472/udp"} }, RunsNo, "node1, node2: 8472/udp is in use"},
		{"port of the installed plugin", Entry{Encapsulation: Encapsulation{Port: "8472/udp"}}, func(r *kernel.Report, f *Facts) {
			r.Taken, f.Plugin, f.PluginPorts = []string{"8472/udp"}, "Flannel", []string{"8472/udp"}
		}, RunsDegraded, "node1, node2: 8472/udp is used by Flannel, which must be removed first"},
		{"its own port", Entry{Plugin: Plugin{Title: "Flannel"}, Encapsulation: Encapsulation{Port: "8472/udp"}}, func(r *kernel.Report, f *Facts) {
			r.Taken, f.Plugin = []string{"8472/udp"}, "Flannel"
		}, RunsYes, ""},
		{"no kube-proxy", Entry{Name: "a", Services: "kube-proxy"}, func(_ *kernel.Report, f *Facts) { f.KubeProxy = "none" }, RunsNo, "a does not replace kube-proxy, and the cluster has none"},
		{"one too many", Entry{Services: "plugin"}, nil, RunsDegraded, "it carries Services itself, and kube-proxy (iptables) does so too"},
		{"no podCIDR", Entry{Requires: Requires{PodCIDR: "node"}}, func(_ *kernel.Report, f *Facts) {
			f.Nodes = map[string]cluster.Node{"node1": {Name: "node1"}, "node2": {Name: "node2", PodCIDR: "10.0.0.0/24"}}
		}, RunsNo, "node1: it has no spec.podCIDR: kube-controller-manager gives them with --allocate-node-cidrs"},
		{"one link", Entry{Requires: Requires{OneLink: true}}, nil, RunsYes, ""},
		{"two links", Entry{Requires: Requires{OneLink: true}}, func(_ *kernel.Report, f *Facts) {
			f.Nodes = map[string]cluster.Node{"node1": {Address: "198.18.0.1"}, "node2": {Address: "10.1.0.2"}}
		}, RunsUnknown, "node1, node2: node2 (10.1.0.2) is not in a subnet of eth0: pod networks must be routed between them"},
		{"not supplied", Entry{}, func(_ *kernel.Report, f *Facts) {
			f.Lacking = func(Entry) []string { return []string{"quay.io/cilium/hubble-relay:v1"} }
		},
			RunsNo, "not in this supply: quay.io/cilium/hubble-relay:v1"},
		{"what decides comes first", Entry{Services: "plugin", Requires: Requires{Kernel: "6.8"}}, nil, RunsNo, "node1, node2: kernel 6.1.0-13-amd64 is older than 6.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			nodes, facts := twoNodes(good)
			if tt.change != nil {
				r := nodes["node1"]
				tt.change(&r, &facts)
				nodes = map[string]kernel.Report{"node1": r, "node2": r}
			}
			v := Evaluate(tt.entry, nodes, facts)
			first := ""
			if len(v.Because) > 0 {
				first = v.Because[0]
			}
			if v.Runs != tt.runs || first != tt.because {
				t.Errorf("%s, because %q\nwant %s, because %q", v.Runs, v.Because, tt.runs, tt.because)
			}
		})
	}
}

// What cannot be looked at is said, and is no reason against a variant.
func TestEvaluateUnchecked(t *testing.T) {
	e := Entry{Services: "kube-proxy", Requires: Requires{
		Kubernetes: "1.29", PodCIDR: "node", OneLink: true, Can: []string{"telepathy"}, Other: []string{"hugepages"},
	}}
	v := Evaluate(e, map[string]kernel.Report{"this machine": {Release: "6.1.0"}}, Facts{})
	want := []string{"whether the cluster has a kube-proxy", "Kubernetes 1.29 or newer", "whether nodes have a podCIDR", "telepathy", "whether nodes share one link", "hugepages"}
	if diff := cmp.Diff(want, v.Unchecked); diff != "" || v.Runs != RunsYes {
		t.Errorf("runs: %s, not checked (-want +got):\n%s", v.Runs, diff)
	}
}

// The nodes differ: the one that lacks something is named, the other is not.
func TestEvaluateNamesTheNode(t *testing.T) {
	nodes := map[string]kernel.Report{"node1": readKernel(t, "debian-6.1"), "node2": readKernel(t, "no-modules-6.18")}
	v := Evaluate(Entry{Requires: Requires{Can: []string{"wireguard"}}}, nodes, Facts{})
	if v.Runs != RunsNo || len(v.Because) != 1 || !strings.HasPrefix(v.Because[0], "node2: no wireguard") {
		t.Errorf("%s, because %q", v.Runs, v.Because)
	}
}

// A kernel that loses a feature never makes a verdict better.
func TestEvaluateIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.SampledFrom(kernel.Features()), rapid.ID[string]).Draw(t, "required")
		answers := map[string]kernel.Answer{}
		for _, n := range names {
			answers[n] = kernel.Answer{Can: rapid.SampledFrom([]kernel.Can{kernel.Yes, kernel.Unknown, kernel.No}).Draw(t, n)}
		}
		e := Entry{Requires: Requires{Can: names}}
		before := Evaluate(e, map[string]kernel.Report{"a": {Features: answers}}, Facts{})
		if len(names) == 0 {
			return
		}
		worse := maps.Clone(answers)
		worse[rapid.SampledFrom(names).Draw(t, "lost")] = kernel.Answer{Can: kernel.No, Reason: "lost"}
		after := Evaluate(e, map[string]kernel.Report{"a": {Features: worse}}, Facts{})
		if after.Runs.weight() < before.Runs.weight() || after.Runs != RunsNo {
			t.Errorf("%s became %s", before.Runs, after.Runs)
		}
	})
}

// Every feature that the catalog asks for can be tried, and every kernel and
// port that it names can be read.
func TestCatalogAsksForWhatCanBeChecked(t *testing.T) {
	catalog, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range catalog.Names() {
		e, err := catalog.Entry(name, Choice{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Requires.Can {
			if !slices.Contains(kernel.Features(), f) {
				t.Errorf("%s: nothing tries %q; there are %s", name, f, strings.Join(kernel.Features(), ", "))
			}
		}
		if e.Requires.Kernel != "" {
			if _, err := kernel.ParseRelease(e.Requires.Kernel); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, p := range e.Requires.Ports {
			if _, _, err := kernel.ParsePort(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
