//go:build linux

package node

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// netSwitch is a bridge in the supervisor's network namespace.
type netSwitch struct {
	bridge    *netlink.Bridge
	addresses []netip.Prefix
	mtu       int
}

func newSwitch(addresses []netip.Prefix, mtu int) (netSwitch, error) {
	fail := func(err error) (netSwitch, error) {
		return netSwitch{}, fmt.Errorf("making the switch: %w", err)
	}
	bridge := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: "switch0", MTU: mtu}}
	if err := netlink.LinkAdd(bridge); err != nil {
		return fail(err)
	}
	for _, address := range addresses {
		if err := netlink.AddrAdd(bridge, atOnce(address)); err != nil {
			return fail(err)
		}
	}
	if err := netlink.LinkSetUp(bridge); err != nil {
		return fail(err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fail(err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fail(err)
	}
	return netSwitch{bridge, addresses, mtu}, nil
}

// plug joins the network namespace of process pid to the switch by a veth
// pair, whose inner end gets the node's address and default route.
func (s netSwitch) plug(pid int, n Node) error {
	veth := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: n.Name, MTU: s.mtu, MasterIndex: s.bridge.Index},
		PeerName:      Interface,
		PeerMTU:       uint32(s.mtu),
		PeerNamespace: netlink.NsPid(pid),
	}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("making its link: %w", err)
	}
	if err := netlink.LinkSetUp(veth); err != nil {
		return fmt.Errorf("starting its link: %w", err)
	}
	return s.configure(pid, n)
}

func (s netSwitch) configure(pid int, n Node) error {
	ns, err := netns.GetFromPid(pid)
	if err != nil {
		return fmt.Errorf("opening its network namespace: %w", err)
	}
	defer func() { _ = ns.Close() }() // only a handle
	inside, err := netlink.NewHandleAt(ns)
	if err != nil {
		return fmt.Errorf("opening its network namespace: %w", err)
	}
	defer inside.Close()
	for _, name := range []string{"lo", Interface} {
		link, err := inside.LinkByName(name)
		if err != nil {
			return fmt.Errorf("finding %s: %w", name, err)
		}
		if name == Interface {
			for _, address := range n.Addresses {
				if err := inside.AddrAdd(link, atOnce(address)); err != nil {
					return fmt.Errorf("addressing %s: %w", name, err)
				}
			}
		}
		if err := inside.LinkSetUp(link); err != nil {
			return fmt.Errorf("starting %s: %w", name, err)
		}
	}
	for _, gateway := range s.addresses {
		route := &netlink.Route{Gw: gateway.Addr().AsSlice()}
		if err := inside.RouteAdd(route); err != nil {
			return fmt.Errorf("adding the default route: %w", err)
		}
	}
	return nil
}

// atOnce is an address that is used as soon as it is added. Nobody else can
// have it, so that IPv6 need not ask around for a second.
func atOnce(address netip.Prefix) *netlink.Addr {
	a := &netlink.Addr{IPNet: ipNet(address)}
	if address.Addr().Is6() {
		a.Flags = unix.IFA_F_NODAD
	}
	return a
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
