package nodestate

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// links lists the links of this network namespace by index.
func links() (map[int]netlink.Link, error) {
	list, err := dumped(netlink.LinkList)
	if err != nil {
		return nil, err
	}
	byIndex := make(map[int]netlink.Link, len(list))
	for _, l := range list {
		byIndex[l.Attrs().Index] = l
	}
	return byIndex, nil
}

// dumpTries is how often a listing that changed meanwhile is tried again.
const dumpTries = 5

// dumped repeats a listing that the kernel interrupted because it changed.
func dumped[T any](list func() ([]T, error)) ([]T, error) {
	var all []T
	var err error
	for range dumpTries {
		if all, err = list(); !errors.Is(err, netlink.ErrDumpInterrupted) {
			return all, err
		}
	}
	return nil, err
}

func readLinks(context.Context, node) ([]found, error) {
	byIndex, err := links()
	if err != nil {
		return nil, err
	}
	var all []found
	for _, l := range byIndex {
		a := l.Attrs()
		detail := fmt.Sprintf("%s, MTU %d", l.Type(), a.MTU)
		if master, ok := byIndex[a.MasterIndex]; ok {
			detail += ", master " + master.Attrs().Name
		}
		if a.Xdp != nil && a.Xdp.Attached {
			detail += ", XDP program"
		}
		kind := Link
		if ofPod(l) {
			kind = PodLink
		}
		all = append(all, found{Item{kind, a.Name, detail}, func() error { return gone(netlink.LinkDel(l)) }})
	}
	addresses, err := readAddresses(byIndex)
	return append(all, addresses...), err
}

// ofPod tells whether a link is the node's end of a link into another network
// namespace. A node may itself be connected that way: then the link has one of
// the names that uplinks have.
func ofPod(l netlink.Link) bool {
	a := l.Attrs()
	uplink := strings.HasPrefix(a.Name, "eth") || strings.HasPrefix(a.Name, "en")
	pair := l.Type() == "veth" || l.Type() == "netkit"
	return pair && a.NetNsID >= 0 && !uplink
}

func readAddresses(byIndex map[int]netlink.Link) ([]found, error) {
	list, err := dumped(func() ([]netlink.Addr, error) { return netlink.AddrList(nil, netlink.FAMILY_ALL) })
	if err != nil {
		return nil, err
	}
	var all []found
	for _, a := range list {
		link, known := byIndex[a.LinkIndex]
		// The kernel gives every link an address of its own, and changes
		// temporary ones.
		if !known || ofPod(link) || a.IP.IsLinkLocalUnicast() && a.IP.To4() == nil || a.Flags&unix.IFA_F_TEMPORARY != 0 {
			continue
		}
		all = append(all, found{Item{Address, a.IPNet.String() + " on " + link.Attrs().Name, ""}, nil})
	}
	return all, nil
}

func readRoutes(context.Context, node) ([]found, error) {
	byIndex, err := links()
	if err != nil {
		return nil, err
	}
	list, err := dumped(func() ([]netlink.Route, error) {
		return netlink.RouteListFiltered(netlink.FAMILY_ALL, &netlink.Route{Table: unix.RT_TABLE_UNSPEC}, netlink.RT_FILTER_TABLE)
	})
	if err != nil {
		return nil, err
	}
	var all []found
	for _, r := range list {
		if !routeOfInterest(r) {
			continue
		}
		name := tableName(r.Table) + " " + destination(r)
		if r.Priority != 0 && r.Dst != nil {
			name += fmt.Sprintf(" metric %d", r.Priority)
		}
		detail := []string{"protocol " + r.Protocol.String()}
		if r.Gw != nil {
			detail = append(detail, "via "+r.Gw.String())
		}
		kind := Route
		if l, ok := byIndex[r.LinkIndex]; ok {
			detail = append(detail, "out of "+l.Attrs().Name)
			if ofPod(l) {
				kind = PodRoute
			}
		}
		all = append(all, found{Item{kind, name, strings.Join(detail, ", ")}, func() error { return gone(netlink.RouteDel(&r)) }})
	}
	return all, nil
}

// routeOfInterest leaves out what comes with links and addresses, and what
// routers announce for a time.
func routeOfInterest(r netlink.Route) bool {
	if r.Table == unix.RT_TABLE_LOCAL || r.Protocol == unix.RTPROT_RA || r.Protocol == unix.RTPROT_REDIRECT {
		return false
	}
	return r.Dst == nil || r.Dst.IP.To4() != nil || !r.Dst.IP.IsLinkLocalUnicast() && !r.Dst.IP.IsMulticast()
}

func destination(r netlink.Route) string {
	switch {
	case r.Dst != nil && !unspecified(r.Dst):
		return r.Dst.String()
	case r.Family == netlink.FAMILY_V6:
		return "::/0"
	}
	return "0.0.0.0/0"
}

func unspecified(n *net.IPNet) bool {
	ones, _ := n.Mask.Size()
	return ones == 0
}

func readRules(context.Context, node) ([]found, error) {
	var list []netlink.Rule
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		rules, err := dumped(func() ([]netlink.Rule, error) { return netlink.RuleList(family) })
		if err != nil {
			return nil, err
		}
		list = append(list, rules...)
	}
	var all []found
	for _, r := range list {
		name := fmt.Sprintf("%d: from %s lookup %s", max(r.Priority, 0), orAll(r.Src), tableName(r.Table))
		if r.Dst != nil {
			name += " to " + r.Dst.String()
		}
		if r.Mark != 0 {
			name += fmt.Sprintf(" fwmark %#x", r.Mark)
		}
		if r.Family == netlink.FAMILY_V6 {
			name += " (IPv6)"
		}
		all = append(all, found{Item{Rule, name, ""}, func() error { return gone(netlink.RuleDel(&r)) }})
	}
	return all, nil
}

// restoreLocalRule brings back the rule that every node begins with, priority 0
// for the table of its own addresses, before rules are removed. Some plugins
// move it behind rules of their own.
func restoreLocalRule(doomed []Item) error {
	if !slices.ContainsFunc(doomed, func(i Item) bool { return i.Kind == Rule }) {
		return nil
	}
	for _, family := range []int{netlink.FAMILY_V4, netlink.FAMILY_V6} {
		rules, err := dumped(func() ([]netlink.Rule, error) { return netlink.RuleList(family) })
		if err != nil {
			return fmt.Errorf("looking for the rule of the local table: %w", err)
		}
		first := func(r netlink.Rule) bool { return r.Priority <= 0 && r.Table == unix.RT_TABLE_LOCAL }
		if len(rules) == 0 || slices.ContainsFunc(rules, first) {
			continue
		}
		r := netlink.NewRule()
		r.Family, r.Priority, r.Table = family, 0, unix.RT_TABLE_LOCAL
		if err := netlink.RuleAdd(r); err != nil {
			return fmt.Errorf("bringing back the rule of the local table: %w", err)
		}
	}
	return nil
}

func orAll(n *net.IPNet) string {
	if n == nil {
		return "all"
	}
	return n.String()
}

// gone makes the removal of what is not there a success.
func gone(err error) error {
	for _, e := range []error{unix.ENODEV, unix.ESRCH, unix.ENOENT, unix.ENXIO} {
		if errors.Is(err, e) {
			return nil
		}
	}
	var missing netlink.LinkNotFoundError
	if errors.As(err, &missing) {
		return nil
	}
	return err
}
