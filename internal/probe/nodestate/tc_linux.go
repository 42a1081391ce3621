package nodestate

import (
	"context"
	"errors"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// readQdiscs lists the queueing disciplines of links that are not pods', and
// the BPF programs in their clsact.
func readQdiscs(context.Context, node) ([]found, error) {
	byIndex, err := links()
	if err != nil {
		return nil, err
	}
	var all []found
	for _, l := range byIndex {
		if ofPod(l) {
			continue
		}
		qdiscs, err := dumped(func() ([]netlink.Qdisc, error) { return netlink.QdiscList(l) })
		if gone(err) != nil {
			return all, err
		}
		for _, q := range qdiscs {
			// The children of a multiqueue discipline come with it.
			if q.Attrs().Parent != netlink.HANDLE_ROOT && q.Type() != "clsact" && q.Type() != "ingress" {
				continue
			}
			name := l.Attrs().Name + " " + q.Type()
			all = append(all, found{Item{Qdisc, name, ""}, func() error { return gone(netlink.QdiscDel(q)) }})
			if q.Type() == "clsact" || q.Type() == "ingress" {
				all = append(all, filters(l)...)
			}
		}
	}
	return all, nil
}

func filters(l netlink.Link) []found {
	var all []found
	for direction, parent := range map[string]uint32{"ingress": netlink.HANDLE_MIN_INGRESS, "egress": netlink.HANDLE_MIN_EGRESS} {
		list, err := dumped(func() ([]netlink.Filter, error) { return netlink.FilterList(l, parent) })
		if err != nil {
			continue // an ingress qdisc has no egress
		}
		for _, f := range list {
			b, isBPF := f.(*netlink.BpfFilter)
			if !isBPF || b.Name == "" {
				continue
			}
			name := l.Attrs().Name + " " + direction + " " + b.Name
			all = append(all, found{Item{Program, name, "tc"}, func() error { return gone(netlink.FilterDel(f)) }})
		}
	}
	return all
}

// readTCX lists programs attached by tcx. Kernels before 6.6 know no tcx.
func readTCX(context.Context, node) ([]found, error) {
	byIndex, err := links()
	if err != nil {
		return nil, err
	}
	var all []found
	for index, l := range byIndex {
		if ofPod(l) {
			continue
		}
		for _, at := range []attachType{{46, "ingress"}, {47, "egress"}} { // BPF_TCX_INGRESS, BPF_TCX_EGRESS
			programs, err := attached(index, at.number)
			if errors.Is(err, unix.EINVAL) || gone(err) == nil && err != nil {
				continue
			}
			if err != nil {
				return all, err
			}
			for _, p := range programs {
				name := l.Attrs().Name + " " + at.name + " " + p.name
				all = append(all, found{Item{Program, name, "tcx"}, func() error { return gone(p.detach(index, at.number)) }})
			}
		}
	}
	return all, nil
}
