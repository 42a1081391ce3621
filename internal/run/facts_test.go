package run

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cnibench/cnibench/internal/cluster"
	"github.com/cnibench/cnibench/internal/cni"
	"github.com/cnibench/cnibench/internal/probe"
	"github.com/cnibench/cnibench/internal/probe/facts"
	"github.com/cnibench/cnibench/internal/result"
	"github.com/cnibench/cnibench/internal/stage"
)

// overlay is what a pair of pods on two nodes with an overlay looks like.
func overlay() (reading, stage.Pair) {
	node := func(veth string, peer int) facts.Report {
		return facts.Report{
			BootID: "one", Kernel: facts.Facts{Values: map[string]string{"kernel.release": "6.18"}, Missing: map[string]string{"kernel.config": "not shown", "sysctl.net.core.netdev_budget": "none here"}},
			Node: facts.Facts{Values: map[string]string{"uplink.mtu": "1500"}},
			Links: []facts.Link{
				{Name: "cni0", As: "link.cni0", Kind: "bridge", MTU: 1450, Index: 5},
				{Name: "eth0", As: "uplink", Kind: "veth", MTU: 1500, Index: 2},
				{Name: "flannel.1", As: "link.flannel.1", Kind: "vxlan", MTU: 1450, Index: 4},
				{Name: veth, As: "pod-link", Kind: "veth", MTU: 1450, Index: peer, Master: 5},
			},
		}
	}
	pod := func(peer int) facts.Report {
		return facts.Report{
			Node:  facts.Facts{Values: map[string]string{"pod.mtu": "1450"}},
			Links: []facts.Link{{Name: "eth0", As: "pod", Kind: "veth", MTU: 1450, Index: 2, Peer: peer}},
		}
	}
	got := reading{
		client: pod(7), server: pod(9), nodes: map[string]facts.Report{"a": node("veth12", 7), "b": node("veth34", 9)},
		around: map[string]cluster.Around{"a": {Values: map[string]string{"foreign": "none"}}},
	}
	return got, stage.Pair{Client: cluster.Pod{Node: "a"}, Server: cluster.Pod{Node: "b"}}
}

func TestHops(t *testing.T) {
	got, pair := overlay()
	proof := cni.Proof{MTU: probe.PathMTU{Route: 1450, Bytes: 1450}}
	want := []result.Hop{
		{Place: "client pod", Link: "eth0", MTU: 1450}, {Place: "client node", Link: "pod's link", MTU: 1450},
		{Place: "client node", Link: "bridge cni0", MTU: 1450}, {Place: "client node", Link: "tunnel flannel.1", MTU: 1450}, {Place: "client node", Link: "uplink", MTU: 1500},
		{Place: "server node", Link: "uplink", MTU: 1500}, {Place: "server node", Link: "tunnel flannel.1", MTU: 1450}, {Place: "server node", Link: "bridge cni0", MTU: 1450},
		{Place: "server node", Link: "pod's link", MTU: 1450}, {Place: "server pod", Link: "eth0", MTU: 1450},
		{Place: "route", MTU: 1450}, {Place: "path", MTU: 1450},
	}
	if diff := cmp.Diff(want, hops(got, pair, proof)); diff != "" {
		t.Errorf("across nodes (-want +got):\n%s", diff)
	}
	// On one node packets meet no card and no tunnel.
	pair.Server.Node = "a"
	n := got.nodes["a"]
	n.Links = append(n.Links, facts.Link{Name: "veth34", As: serverLink, Kind: "veth", MTU: 1450, Index: 9, Master: 5})
	got.nodes["a"] = n
	want = []result.Hop{want[0], want[1], want[2], {Place: "server node", Link: "bridge cni0", MTU: 1450}, want[8], want[9]}
	if diff := cmp.Diff(want, hops(got, pair, cni.Proof{})); diff != "" {
		t.Errorf("on one node (-want +got):\n%s", diff)
	}
}

func TestPeers(t *testing.T) {
	got, pair := overlay()
	for _, tt := range []struct {
		name, client, server, node string
		host                       bool
		want                       map[string]int
	}{
		{"the client's", "a", "b", "a", false, map[string]int{podLink: 7}},
		{"the server's", "a", "b", "b", false, map[string]int{podLink: 9}},
		{"both", "a", "a", "a", false, map[string]int{podLink: 7, serverLink: 9}},
		{"neither", "a", "b", "c", false, map[string]int{}},
		{"pods without links", "a", "b", "a", true, map[string]int{}},
	} {
		pair.Client.Node, pair.Server.Node, pair.Client.HostNetwork = tt.client, tt.server, tt.host
		if diff := cmp.Diff(tt.want, peers(tt.node, pair, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A kernel that nodes share is described once, and completed by what this
// process sees of it if it runs on it too.
func TestDescribeFacts(t *testing.T) {
	here := func() (string, facts.Facts) {
		return "one", facts.Facts{Values: map[string]string{
			"kernel.release": "another", "sysctl.net.core.netdev_budget": "300", "kernel.config.sha256": "abc", "kernel.config.HZ": "250", "kernel.irq-time": "tick", "cpu.model": "x",
		}}
	}
	got, _ := overlay()
	v := result.Variant{Nodes: []result.Node{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	got.nodes["c"] = unread(errors.New("gone"))
	describe(&v, got, here)
	want := []result.Kernel{
		{Nodes: []string{"a", "b"}, Facts: result.Facts{Values: map[string]string{
			"kernel.release": "6.18", "sysctl.net.core.netdev_budget": "300", "kernel.config.sha256": "abc", "kernel.config.HZ": "250", "kernel.irq-time": "tick",
		}, Missing: map[string]string{}}},
		{Nodes: []string{"c"}, Facts: result.Facts{Values: map[string]string{}, Missing: map[string]string{result.Unread: "gone"}}},
	}
	if diff := cmp.Diff(want, v.Kernels); diff != "" {
		t.Errorf("kernels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"uplink.mtu": "1500", "foreign": "none"}, v.Nodes[0].Facts.Values); diff != "" {
		t.Errorf("node a (-want +got):\n%s", diff)
	}
	if v.Nodes[2].Facts.Missing[result.Unread] != "gone" || v.Ends["server"].Values["pod.mtu"] != "1450" {
		t.Errorf("node c has %+v, the server %+v", v.Nodes[2].Facts, v.Ends["server"])
	}
	// On another computer nothing is added.
	got.nodes = map[string]facts.Report{"a": got.nodes["a"]}
	v.Nodes = v.Nodes[:1]
	describe(&v, got, func() (string, facts.Facts) { _, f := here(); return "two", f })
	if k := v.Kernels[0]; k.Values["kernel.config.HZ"] != "" || k.Missing["kernel.config"] == "" {
		t.Errorf("another computer's configuration is taken for the node's: %+v", k)
	}
}

// The two ways in which results say how interrupts are accounted agree.
func TestIRQTimeAgrees(t *testing.T) {
	_, kernel := facts.ReadHere()
	want := kernel.Values["kernel.irq-time"]
	if want == "" {
		want = "unknown"
	}
	if got := DescribeMachine().IRQTime; got != want {
		t.Errorf("the machine's is %s, the kernel's %s", got, want)
	}
}
