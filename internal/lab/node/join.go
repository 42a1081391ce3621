//go:build linux

package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// join links the switch to that of another lab, whose network namespace is the
// given descriptor. Both become routers between their nodes and the link. With
// either namespace its end of the link goes, and the other end and its route
// with it: whichever lab ends first leaves nothing behind.
func (s netSwitch) join(peer int, p Peer) error {
	defer func() { _ = unix.Close(peer) }() // held, it would keep the other lab's namespace alive
	veth := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: p.Here.Name, MTU: s.mtu},
		PeerName:      p.There.Name,
		PeerMTU:       uint32(s.mtu),
		PeerNamespace: netlink.NsFd(peer),
	}
	there, err := netlink.NewHandleAt(netns.NsHandle(peer))
	if err != nil {
		return fmt.Errorf("entering its network: %w", err)
	}
	defer there.Close()
	if err := unlink(there, p.There.Name); err != nil {
		return fmt.Errorf("removing the link of an earlier lab: %w", err)
	}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("making the link: %w", err)
	}
	here, err := netlink.NewHandle()
	if err != nil {
		return err
	}
	defer here.Close()
	if err := routeOver(here, p.Here); err != nil {
		return err
	}
	if err := routeOver(there, p.There); err != nil {
		return err
	}
	if err := allowForwarding(); err != nil {
		return err
	}
	return within(peer, allowForwarding)
}

// unlink takes away a link that is there still: the kernel takes the namespace
// of a lab that has ended down in its own time, and a lab that has its number
// would find the name taken and the route made.
func unlink(h *netlink.Handle, name string) error {
	old, err := h.LinkByName(name)
	var none netlink.LinkNotFoundError
	if errors.As(err, &none) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := h.LinkDel(old); err != nil && !errors.Is(err, unix.ENODEV) {
		return err
	}
	return nil
}

// routeOver starts one end of the link and routes over it. The next hop is an
// address of the other switch that no prefix of the link covers.
func routeOver(h *netlink.Handle, e LinkEnd) error {
	link, err := h.LinkByName(e.Name)
	if err != nil {
		return fmt.Errorf("finding %s: %w", e.Name, err)
	}
	if err := h.LinkSetUp(link); err != nil {
		return fmt.Errorf("starting %s: %w", e.Name, err)
	}
	for _, r := range e.Routes {
		route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipNet(r.To), Gw: r.Via.AsSlice(), Flags: int(netlink.FLAG_ONLINK)}
		if err := h.RouteAdd(route); err != nil {
			return fmt.Errorf("routing %s over %s: %w", r.To, e.Name, err)
		}
	}
	return nil
}

// allowForwarding makes the calling thread's network namespace a router.
func allowForwarding() error {
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0); err != nil {
		return err
	}
	err := os.WriteFile("/proc/sys/net/ipv6/conf/all/forwarding", []byte("1"), 0)
	if errors.Is(err, fs.ErrNotExist) { // a kernel without IPv6 has none to forward
		return nil
	}
	return err
}

// within calls f on a thread that is in another network namespace, and ends
// the thread.
func within(namespace int, f func() error) error {
	done := make(chan error)
	go func() {
		// Never unlocked: the thread ends with the goroutine.
		runtime.LockOSThread()
		if err := unix.Setns(namespace, unix.CLONE_NEWNET); err != nil {
			done <- fmt.Errorf("entering its network: %w", err)
			return
		}
		done <- f()
	}()
	return <-done
}
