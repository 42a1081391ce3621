//go:build e2e

package rtt

import (
	"net"
	"runtime"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Kernels before 6.6 have clsact only, and all kernels have it still. Filters
// of others stay, and what a killed process left is replaced.
func TestE2EOnClsact(t *testing.T) {
	runtime.LockOSThread() // and never unlock: the thread ends in the namespace of the test
	handle, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = handle.Close() }() // with it the namespace ends
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		t.Fatal(err)
	}
	d := device{name: "lo", index: lo.Attrs().Index, linkHeader: 14}
	attached := func() *observer {
		o := loaded(t, Tap{}, 14, Spec{})
		for _, ingress := range []bool{false, true} {
			program := o.objects.TcEgress
			if ingress {
				program = o.objects.TcIngress
			}
			if err := o.attachClsact(d, program, ingress); err != nil {
				t.Fatal(err)
			}
		}
		return o
	}
	attached().detach = nil // killed: it never takes them away
	o := attached()
	foreign, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Type: ebpf.SchedCLS, License: "GPL", Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 0), asm.Return()}, // TC_ACT_OK: the end
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = foreign.Close() }() // nothing is buffered in it
	theirs := &netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{LinkIndex: d.index, Parent: netlink.HANDLE_MIN_EGRESS, Protocol: unix.ETH_P_ALL, Priority: 1},
		Fd:          foreign.FD(), Name: "theirs", DirectAction: true,
	}
	if err := netlink.FilterAdd(theirs); err != nil {
		t.Fatal(err)
	}
	// Ours, added again, comes before theirs again.
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	o = attached()
	talkOnLoopback(t)
	if got := o.observed(t).Flows[0].Counts; got.Matched == 0 || got.Unstamped > 0 {
		t.Errorf("counts are %+v", got)
	}
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	left, err := netlink.FilterList(lo, netlink.HANDLE_MIN_EGRESS)
	if err != nil || len(left) != 1 {
		t.Fatalf("filters on egress: %v, %v; theirs is to stay", left, err)
	}
	if err := netlink.FilterDel(left[0]); err != nil {
		t.Fatal(err)
	}
	if left, err = netlink.FilterList(lo, netlink.HANDLE_MIN_INGRESS); err != nil || len(left) != 0 {
		t.Errorf("filters on ingress: %v, %v", left, err)
	}
}

func talkOnLoopback(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // nothing is buffered in it
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("once")); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// Where clsact is ours alone it goes, too.
func TestE2EClsactGoes(t *testing.T) {
	runtime.LockOSThread() // and never unlock: see above
	handle, err := netns.New()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = handle.Close() }() // with it the namespace ends
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	o := loaded(t, Tap{}, 14, Spec{})
	if err := o.attachClsact(device{name: "lo", index: lo.Attrs().Index}, o.objects.TcEgress, false); err != nil {
		t.Fatal(err)
	}
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	qdiscs, err := netlink.QdiscList(lo)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range qdiscs {
		if q.Type() == "clsact" {
			t.Errorf("the device still has %v", q)
		}
	}
}
