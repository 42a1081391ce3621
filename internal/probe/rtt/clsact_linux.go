package rtt

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

const (
	// filterHandle tells our filter from others' of the same priority: "rtt".
	filterHandle = 0x727474
	filterName   = "cnibench-rtt"
	// filterPriority is the first. Of one priority the newest filter is asked
	// first, so ours comes before those that may end the search.
	filterPriority = 1
)

// clsactFilter is a program on a device of a kernel without tcx. It stays when
// the process is killed: the next one that watches the device replaces it.
type clsactFilter struct {
	ifindex int
	ingress bool
}

func (f clsactFilter) qdisc() netlink.Qdisc {
	return &netlink.Clsact{QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: f.ifindex, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT,
	}}
}

func (f clsactFilter) filter(fd int) *netlink.BpfFilter {
	parent := uint32(netlink.HANDLE_MIN_EGRESS)
	if f.ingress {
		parent = netlink.HANDLE_MIN_INGRESS
	}
	return &netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{
			LinkIndex: f.ifindex, Parent: parent, Handle: filterHandle, Protocol: unix.ETH_P_ALL, Priority: filterPriority,
		},
		Fd: fd, Name: filterName, DirectAction: true,
	}
}

// add attaches a program. made tells that the device had no clsact before.
func (f clsactFilter) add(fd int) (made bool, err error) {
	err = netlink.QdiscAdd(f.qdisc())
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return false, fmt.Errorf("adding clsact: %w", err)
	}
	made = err == nil
	filter := f.filter(fd)
	if err = netlink.FilterAdd(filter); errors.Is(err, unix.EEXIST) {
		if err = netlink.FilterDel(filter); err == nil {
			err = netlink.FilterAdd(filter)
		}
	}
	if err != nil {
		return made, fmt.Errorf("adding a clsact filter: %w", err)
	}
	return made, nil
}

// remove takes the filter away, and clsact where it was made for it, unless
// somebody came to use it meanwhile.
func (f clsactFilter) remove(made bool) error {
	if err := netlink.FilterDel(f.filter(-1)); err != nil || !made {
		return err
	}
	for _, parent := range []uint32{netlink.HANDLE_MIN_INGRESS, netlink.HANDLE_MIN_EGRESS} {
		others, err := netlink.FilterList(&netlink.Dummy{LinkAttrs: netlink.LinkAttrs{Index: f.ifindex}}, parent)
		if err != nil || len(others) > 0 {
			return err
		}
	}
	return netlink.QdiscDel(f.qdisc())
}
